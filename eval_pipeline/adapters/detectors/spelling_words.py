"""Words beyond breame's list of British and American spellings, and words of that list that tell nothing.

Verbs in -ise and -ize are given by their stems; their forms are derived. Not here: how a text is searched.
"""

from __future__ import annotations

LISTS_VERSION = 1
"""Grows with every change of these lists or of what is derived."""

# fmt: off
GOOD_IN_BRITISH = frozenset([
    # Words that British English has too, often in another sense than its other spelling.
    "aerogram", "aerograms", "almanac", "almanacs", "annex", "balk", "balked", "balking", "balks",
    "banister", "banisters", "bevies", "bevy", "biased", "biasing", "bougainvillea", "bougainvilleas",
    "busses", "bussing", "caliper", "calipers", "centigram", "centigrams", "cesarean", "cesareans",
    "check", "checks", "chimera", "chimeras", "connection", "connections", "curb", "curbs", "curbside",
    "dialog", "dialogs", "disk", "disks", "dispatch", "dispatched", "draft", "drafts", "encyclopedia",
    "encyclopedias", "encyclopedic", "fetal", "fetid", "fetus", "fetuses", "filet", "filter", "filters",
    "gasses", "gluing", "gram", "grams", "griffin", "griffins", "groin", "groins", "gypsies", "homeopath",
    "homeopathic", "homeopaths", "homeopathy", "inflection", "inflections", "install", "installs", "jail",
    "jailbird", "jailbirds", "jailbreak", "jailbreaks", "jailed", "jailer", "jailers", "jailing", "jails",
    "judgment", "judgments", "kilogram", "kilograms", "license", "licensed", "licenses", "licensing",
    "likable", "medieval", "meter", "meters", "micrometer", "micrometers", "milligram", "milligrams",
    "misspelled", "mustachioed", "pederast", "pederasts", "pizzazz", "pouf", "poufs", "practice",
    "practices", "presidium", "primeval", "program", "programs", "pummel", "siphon", "siphoned",
    "siphoning", "siphons", "sulfate", "sulfates", "sulfide", "sulfides", "sulfur", "sulfurous",
    "synthesizer", "synthesizers", "technicolor", "tire", "tires", "ton", "tons", "wagon", "wagons",
    "yogurt", "yogurts",
])
GOOD_IN_AMERICAN = frozenset([
    "aesthete", "aesthetes", "aesthetic", "aesthetically", "aesthetics", "analogue", "analogues",
    "analyses", "archaeological", "archaeologically", "archaeologist", "archaeologists", "archaeology",
    "axe", "axes", "battleaxe", "bevvies", "bevvy", "bingeing", "buses", "busing", "cancellation",
    "cancellations", "catalyses", "dialogue", "dialogues", "disc", "discs", "epaulette", "epaulettes",
    "epilogue", "epilogues", "exorcise", "exorcised", "exorcises", "exorcising", "fillet", "filleted",
    "filleting", "fillets", "gases", "gauge", "gauged", "gauges", "gauging", "glamour", "likeable",
    "minibuses", "monologue", "monologues", "omelette", "omelettes", "paralyses", "pharmacopoeia",
    "pharmacopoeias", "pouffe", "pouffes", "prologue", "prologues", "psychoanalyses", "pzazz", "sheikh",
    "tonne", "tonnes", "tranquilly", "travelogue", "travelogues", "videodisc", "videodiscs", "woollies",
    "woolly", "worshipped", "worshipper", "worshipping",
])
MORE_PAIRS = {
    # British: American.
    "acknowledgement": "acknowledgment", "acknowledgements": "acknowledgments", "aeroplane": "airplane",
    "aeroplanes": "airplanes", "analyser": "analyzer", "analysers": "analyzers", "annexe": "annex",
    "barrelled": "barreled", "barrelling": "barreling", "behavioural": "behavioral",
    "behaviourally": "behaviorally", "caesium": "cesium", "carburettor": "carburetor",
    "carburettors": "carburetors", "cheque": "check", "cheques": "checks", "colourway": "colorway",
    "despatch": "dispatch", "despatched": "dispatched", "flavourful": "flavorful",
    "flavourless": "flavorless", "gaol": "jail", "judgemental": "judgmental", "kerb": "curb",
    "kerbs": "curbs", "kerbside": "curbside", "liquorice": "licorice", "microlitre": "microliter",
    "millilitre": "milliliter", "millilitres": "milliliters", "oedema": "edema", "plough": "plow",
    "skilful": "skillful", "skilfully": "skillfully", "synaesthesia": "synesthesia", "tyre": "tire",
    "tyres": "tires", "wilful": "willful", "wilfully": "willfully",
}
MORE_STEMS = (
    # Before -ise and -ize.
    "actual", "african", "aggrand", "allegor", "alphabet", "american", "anglic", "anonym", "apostat",
    "arab", "atom", "author", "binar", "burglar", "canonical", "commodit", "container", "deserial",
    "detoken", "embol", "exterior", "featur", "incentiv", "interior", "lemmat", "linear", "method",
    "mineral", "modular", "monet", "motor", "pallet", "parallel", "parameter", "parametr", "pellet",
    "prior", "styl", "suburban", "templat", "token", "vector", "virtual",
)
# fmt: on
