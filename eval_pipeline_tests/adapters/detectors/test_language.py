from __future__ import annotations

import csv
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eval_pipeline.adapters.detectors.language import LanguageByStatistics
from eval_pipeline_tests.adapters.detectors.hostile import HOSTILE
from eval_pipeline_tests.domain.strategies import any_text

DATA = Path(__file__).parents[4] / "shared" / "data"
OTHER_LANGUAGES = [
    ("no", "Takk for henvendelsen, vi svarer deg så snart vi kan i løpet av dagen."),
    ("no", "Jeg vet dessverre ikke svaret på dette spørsmålet, men du kan ringe oss."),
    ("da", "København er Danmarks hovedstad og landets største by med over en halv million indbyggere."),
    ("sv", "Tack för ditt meddelande, vi återkommer så snart vi kan med ett svar."),
    ("de", "Vielen Dank für Ihre Anfrage, wir melden uns so schnell wie möglich bei Ihnen."),
    ("de", "Das Produkt ist leider kaputt angekommen und ich möchte mein Geld zurück."),
    ("fr", "Je ne suis pas content de ce produit et je voudrais un remboursement."),
    ("es", "Madrid es la capital de España y la ciudad más grande del país."),
    ("it", "Grazie per il messaggio, le risponderemo il prima possibile con tutte le informazioni."),
    ("pt", "Obrigado pela sua mensagem, responderemos o mais rápido possível com mais informações."),
    ("nl", "Bedankt voor uw bericht, we nemen zo snel mogelijk contact met u op."),
    ("pl", "Dziękujemy za wiadomość, odpowiemy najszybciej jak to możliwe w ciągu dnia."),
    ("pl", "Warszawa jest stolicą Polski i największym miastem w kraju."),
    ("cs", "Praha je hlavní město České republiky a největší město v zemi."),
    ("fi", "Helsinki on Suomen pääkaupunki ja maan suurin kaupunki asukasluvultaan."),
    ("tr", "Ankara, Türkiye'nin başkenti ve ülkenin ikinci büyük şehridir."),
    ("hu", "Budapest Magyarország fővárosa és az ország legnagyobb városa."),
    ("ro", "București este capitala României și cel mai mare oraș din țară."),
    ("id", "Terima kasih atas pesan Anda, kami akan membalas secepat mungkin hari ini."),
    ("vi", "Cảm ơn bạn đã gửi tin nhắn, chúng tôi sẽ trả lời sớm nhất có thể."),
    ("sw", "Asante kwa ujumbe wako, tutakujibu haraka iwezekanavyo katika siku chache zijazo."),
    ("ca", "Gràcies pel vostre missatge, us respondrem tan aviat com sigui possible."),
    ("et", "Täname teid kirja eest, vastame teile nii kiiresti kui võimalik."),
    ("ru", "Москва является столицей России."),
    ("uk", "Дякуємо за ваше повідомлення, ми відповімо вам якнайшвидше."),
    ("el", "Σας ευχαριστούμε για το μήνυμά σας, θα απαντήσουμε το συντομότερο."),
    ("ar", "شكرا على رسالتك، سوف نرد عليك في أقرب وقت ممكن."),
    ("he", "תודה על הודעתך, נחזור אליך בהקדם האפשרי."),
    ("hi", "आपके संदेश के लिए धन्यवाद, हम जल्द से जल्द आपको जवाब देंगे।"),
    ("th", "ขอบคุณสำหรับข้อความของคุณ เราจะตอบกลับโดยเร็วที่สุด"),
    ("zh", "今天天气很好。"),
    ("ja", "東京は日本の首都です。"),
    ("ko", "서울은 대한민국의 수도입니다."),
]
ENGLISH = [
    "Thank you for your message, we will answer as soon as we can.",
    "Dr. Jürgen Müller and François Dupont met Søren Kierkegaard in Zürich to discuss Übermensch with Ñuñez.",
    'The French say "c\'est la vie, mon ami, il faut vivre" when things go wrong.',
    "To say good morning in German, say: Guten Morgen, wie geht es Ihnen?",
    "The Japanese greeting is こんにちは (konnichiwa), which means hello.",
    "In Russian, thank you is спасибо.",
    "Cristiano Ronaldo, Lionel Messi, Kylian Mbappé, Robert Lewandowski, Luka Modrić",
    "W. A. Mozart, Die Zauberflöte; G. Verdi, La traviata; G. Puccini, La bohème",
    "C'mon y'all, gonna hafta wanna do it, ain't no thang!",
    "Aye, ye cannae dae that, ye ken, it's nae guid for the wee bairn.",
    "AAPL MSFT GOOG AMZN NVDA META TSLA",
    "omg ur so kewl lolz thx bb",
    "hahahahaha hahahaha hahaha haha ha ha ha ha",
    "def f(x):\n    return x + 1\n\nprint(f(41))",
    "SELECT id, name FROM users WHERE id = 1 ORDER BY name;",
    '{"name": "Anna", "city": "Oslo", "tags": ["a", "b"], "price": 12.5}',
    "See https://example.com/fr/aide and https://example.com/es/ayuda for details.",
    "<html><body><h1>Title</h1></body></html>",
    "npm install --save-dev eslint prettier",
    "x = 5, y = 7, z = 12",
]


@pytest.mark.parametrize(("language", "text"), OTHER_LANGUAGES)
def test_a_sentence_of_another_language_is_told(language, text):
    assert LanguageByStatistics().language_of(text) == language


@pytest.mark.parametrize("text", ENGLISH)
def test_english_with_names_code_or_quotations_is_never_another_language(text):
    assert LanguageByStatistics().language_of(text) in {"en", None}


@pytest.mark.parametrize(
    "text", ["", "Ok", "Paris", "Ja", "Das ist gut.", "42", "lol lol lol lol lol lol lol lol"]
)
def test_too_little_text_has_no_language(text):
    assert LanguageByStatistics().language_of(text) is None


@pytest.mark.parametrize("file", ["toxicity/surge_toxicity_en.csv", "sentiment/amazon_cells_labelled.txt"])
def test_no_short_and_slangy_english_text_is_taken_for_another_language(file):
    path = DATA / file
    if not path.exists():
        pytest.skip("the third-party data is not here")
    content = path.read_text(encoding="utf-8")
    texts = (
        [row["text"] for row in csv.DictReader(content.splitlines(keepends=True))]
        if path.suffix == ".csv"
        else [line.rsplit("\t", 1)[0] for line in content.split("\n") if line]
    )
    assert len(texts) == 1000
    detector = LanguageByStatistics()
    assert {detector.language_of(text) for text in texts} == {"en", None}


@given(any_text)
def test_any_text_has_a_language_or_none(text):
    found = LanguageByStatistics().language_of(text)
    assert found is None or (found.isalpha() and found.islower())


@given(st.text(alphabet="abcdefg ,.", max_size=14))
def test_a_few_latin_words_never_have_a_language(text):
    assert LanguageByStatistics().language_of(text) is None


@pytest.mark.parametrize("unit", HOSTILE)
def test_a_megabyte_of_anything_is_answered_within_a_second(unit):
    detector = LanguageByStatistics()
    detector.language_of("loads the model")
    text = unit * (1_000_000 // len(unit))
    start = time.process_time()
    detector.language_of(text)
    assert time.process_time() - start < 1


def test_it_does_not_depend_on_a_language_and_names_its_version():
    assert LanguageByStatistics.languages is None
    assert LanguageByStatistics().identity.startswith("py3langid ")
