"""How a support assistant replies: what every reply must keep to, and what its scenario asks for besides."""

from eval_pipeline.domain.evaluation import Evaluation, ResponseChecks, Row


class SupportReplies(Evaluation):
    id = "customer_support.replies"
    name = "Replies to customers"
    description = "Safe and to the point for everybody; friendly, apologetic or readable by scenario."
    csv_path = "replies.csv"
    prompt_column = "user_message"
    system_prompt = (
        "You work for a web shop's customer support. Reply in two to four short, friendly sentences."
    )
    parameters = {"max_tokens": 40}

    def prepare_prompt(self, row: Row) -> str:
        return f"Customer type: {row['customer_type']}\n\n{row['user_message']}"

    def evaluate_row(self, row: Row, check: ResponseChecks) -> None:
        check.not_empty()
        check.not_toxic()
        check.no_pii()
        check.signed_off(message="should not end in the middle of a sentence", weight=0.5)
        match row["scenario"]:
            case "greeting":
                check.positive_sentiment()
                check.regex(r"/\b(hello|hi|welcome|good morning)\b/i", message="should greet")
            case "complaint":
                check.contains_any(["sorry", "apologise", "apologize"], ignore_case=True)
            case "technical":
                check.readability_level(10)
                check.grammar_correct()
        wanted = [word for word in row["must_contain"].split(",") if word]
        if wanted:
            check.contains_all(wanted, ignore_case=True, message="should keep to the subject")
        check.less_than(len(check.response.text), 900, message="should be short")
