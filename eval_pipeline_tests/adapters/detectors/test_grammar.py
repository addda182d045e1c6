from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given, settings

from eval_pipeline.adapters.detectors.grammar import HarperGrammar
from eval_pipeline.domain.assertions.language import MAX_TEXT
from eval_pipeline.domain.text import normalised
from eval_pipeline_tests.adapters.detectors.hostile import HOSTILE
from eval_pipeline_tests.domain.strategies import any_text

WRONG_AND_RIGHT = [
    ("He go to school every day.", "He goes to school every day."),
    ("She don't like the new design.", "She doesn't like the new design."),
    ("He have two brothers.", "He has two brothers."),
    ("I has a question about my order.", "I have a question about my order."),
    ("They was late for the meeting.", "They were late for the meeting."),
    ("We was told to wait outside.", "We were told to wait outside."),
    ("They goes home after lunch.", "They go home after lunch."),
    ("She walk to the office.", "She walks to the office."),
    ("It don't matter which one you choose.", "It doesn't matter which one you choose."),
    ("You was right about the price.", "You were right about the price."),
    ("We is ready to ship.", "We are ready to ship."),
    ("They is ready to ship.", "They are ready to ship."),
    ("The results is in the table.", "The results are in the table."),
    ("These files has been deleted.", "These files have been deleted."),
    ("It have changed since then.", "It has changed since then."),
    ("There is many reasons for this.", "There are many reasons for this."),
    ("I ate a apple for lunch.", "I ate an apple for lunch."),
    ("She is reading an book.", "She is reading a book."),
    ("This is an test message.", "This is a test message."),
    ("It took a hour to finish.", "It took an hour to finish."),
    ("He studies at an university.", "He studies at a university."),
    ("There is a error in line 3.", "There is an error in line 3."),
    ("Press the the button twice.", "Press the button twice."),
    ("We will will send it tomorrow.", "We will send it tomorrow."),
    ("Your order is is on its way.", "Your order is on its way."),
    ("You can find it in in the menu.", "You can find it in the menu."),
    ("This is a a good idea.", "This is a good idea."),
    ("The cat sat sat on the mat.", "The cat sat on the mat."),
    ("A elephant is big.", "An elephant is big."),
    ("You should of called us first.", "You should have called us first."),
    ("I have went there before.", "I have gone there before."),
    ("He did not went home.", "He did not go home."),
    ("He is more taller than me.", "He is taller than me."),
    ("It is better then before.", "It is better than before."),
    ("Their is a problem with the file.", "There is a problem with the file."),
    ("Its a nice day today.", "It's a nice day today."),
]
CLEAN = """
Visit https://www.example.org/a/b?c=d&e=f#g for the details.
Write to jo@example.org or see example.org/help.
The value is 3.50, and the ratio is 1:2.5 at 99.9%.
Wait... it is still loading…
The first line
continues on the second line.
Dr. Lee met Mrs. O'Neil at 5 p.m. in the U.S. office, e.g. on Mon., i.e. today.
Use an iPhone, a MacBook, an eBay account or a YouTube channel.
Kubernetes, PostgreSQL, nginx and Redis run on an EC2 instance.
Deploy it with `kubectl apply -f a.yaml` and check a `Pod`.
- First, open the settings.
- Second, choose a language.
1. Preheat the oven to 180 °C (350 °F).
2. Add 250 g flour, 1/2 tsp salt and a pinch of sugar.
# How to reset your password
## Step 1: Open an account
**Note:** This is an *important* step.
"I don't know," she said, "but he does."
I love it 😀 and so do they 🎉.
The colour of the organisation's theatre is grey.
The color of the organization's theater is gray.
It weighs 5 kg and measures 10 cm x 20 cm.
He had had enough, and I know that that is true.
An hour ago, an honest man gave an heir a one-way ticket.
A European user saw a unicorn, a UFO and an FAQ.
An HTML page, a URL, an API, an SQL query, a SQL query, an 8-bit value, an 11-year-old.
Let him go home, make her understand it, and help them finish.
I suggest that he go now.
Does he know the answer? Did she say why?
If I were you, I would wait.
You and she have met. He and I go together.
She put it there, cut the bread, read the book and hit the ball.
He hid in the garden and withdrew the offer.
Those around you are kind; one of you is wrong.
The news is good, the series has ended, and the analysis was right.
The process is slow because the bus is full.
Option A is better than option B, and hepatitis A infection is rare.
Let a be 3 and b be 4; then a equals 3 and a is odd.
The Pixel 3A is a phone, and Ping An is a company.
Very, very good. It was very very good. No, no. Bye bye!
New York, New York. Duran Duran played in Walla Walla.
An historic day at a hotel in an historic town.
Its main menu shows its own icon, and it's easy to use.
You can't do it, won't do it and shouldn't've done it.
It is better to act now and then rest.
The top-5 words with the most number of matches.
x = a + b; y = an * 2;
The data are stored, and the data is safe.
Everyone I know has one, and none of them have two.
There's milk and eggs, and there is many a way.
Thank you for contacting us! We're sorry for the delay.
Please restart your router, wait 30 seconds, then reconnect.
The function returns a list of integers, or None if it fails.
Mix the eggs, milk and butter until smooth; bake for 25–30 minutes.
Python's `for` loop iterates over an iterable.
| Name | Value |
|------|-------|
| a    | an int |
See section 4.2.1 (page 12), fig. 3, and ref. [7].
Version v1.2.3 was released on 2026-01-15 at 09:00 UTC.
Call +44 20 7946 0958 or (212) 555-0100.
It costs $1,299.99, i.e. about €1.100.
He said he'd be there by noon, didn't he?
C++ and C# are languages; .NET is a platform.
TL;DR: it works. FYI, we ship ASAP.
THE BEST SNEAKERS ARE IN A STORE NEAR YOU.
what he said is fine, i think.
> A quote is a quote.
<p>This is a paragraph.</p>
The CEO's and the CFO's offices are on the 2nd floor.
Use Ctrl+C, Ctrl-V or Alt+Tab.
""".strip().split("\n")


def faults(text: str) -> list[str]:
    return [text[fault.span.start : fault.span.end] for fault in HarperGrammar().grammar_faults(text)]


@pytest.mark.parametrize(("wrong", "right"), WRONG_AND_RIGHT)
def test_a_fault_is_told_from_the_right_form(wrong: str, right: str) -> None:
    assert faults(wrong)
    assert faults(right) == []


@pytest.mark.parametrize("sentence", CLEAN)
def test_good_text_has_no_fault(sentence: str) -> None:
    assert faults(sentence) == []


def test_good_text_has_no_fault_as_a_whole_either() -> None:
    assert faults("\n".join(CLEAN)) == []


def test_code_is_not_looked_at() -> None:
    assert faults("Run this:\n\n```python\nprint('He go to the the a apple')\n```\n\nIt works.") == []
    assert faults("Run `He go to the the a apple` now.") == []


def test_a_fault_has_its_place_and_a_proposal() -> None:
    (fault,) = HarperGrammar().grammar_faults("Fine.\n\n😀 I ate a apple.")
    assert ("Fine.\n\n😀 I ate a apple."[fault.span.start : fault.span.end], fault.suggestion) == ("a", "an")


def test_faults_come_in_the_order_of_the_text() -> None:
    assert faults("The results is a error. He go home.\n\nThey was late.") == ["is", "a", "go", "was"]


def test_names_and_misspelt_words_are_no_faults_of_grammar() -> None:
    assert faults("Recieve the Wibblywobble from Xyloquent.") == []


def test_a_fault_found_in_two_ways_is_one_fault() -> None:
    assert faults("It were late. We saw the the car.") == ["were", "the the"]


def test_several_threads_may_ask_at_once() -> None:
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(faults, ["He go home."] * 40)) == [["go"]] * 40


@given(any_text)
@settings(deadline=None)  # the first example loads it
def test_any_text_is_examined(text: str) -> None:
    HarperGrammar().grammar_faults(normalised(text))


@pytest.mark.timeout(10)
@pytest.mark.parametrize("unit", HOSTILE)
def test_hostile_text_is_examined_in_time(unit: str) -> None:
    HarperGrammar().grammar_faults((unit * MAX_TEXT)[:MAX_TEXT])


def test_the_identity_names_library_and_version() -> None:
    assert HarperGrammar().identity.startswith("harper-py 0.")
