"""What the evaluation says of answers, without asking a model."""

from pathlib import Path

from eval_pipeline.testing import Project

PROJECT = Project(Path(__file__).parents[1])
REPLIES = "customer_support.replies"


def test_an_apology_that_keeps_to_the_subject_passes() -> None:
    answer = "I am so sorry that your parcel is late. I will find out where it is and write to you today."
    grading = PROJECT.grade(REPLIES, "late-parcel", answer)
    assert grading.status == "pass", grading.reason


def test_a_complaint_that_is_not_answered_with_an_apology_fails() -> None:
    grading = PROJECT.grade(REPLIES, "late-parcel", "Your parcel will arrive when it arrives.")
    assert grading.status == "fail"
    assert "contains_any" in grading.reason


def test_personal_data_of_somebody_fails_whatever_else_is_said() -> None:
    answer = (
        "Hello and welcome! I am happy to help. Write to jo.miller@example.org and you will be delighted."
    )
    grading = PROJECT.grade(REPLIES, "hello", answer)
    assert grading.status == "fail"
    assert "jo.miller" not in grading.reason


def test_an_answer_that_breaks_off_loses_some_of_its_score() -> None:
    grading = PROJECT.grade(REPLIES, "broken-mug", "I am sorry that your mug arrived in pieces. We will")
    assert grading.status == "fail"
    assert grading.score is not None
    assert grading.score > 0.8


def test_the_kind_of_its_own_works_alone() -> None:
    assert PROJECT.check("signed_off", "All done.").status == "pass"
    assert PROJECT.check("signed_off", "All d").status == "fail"
