"""English words by how hostile they are, and the forms that disguise them.

For the detector of toxicity, which weighs what its classifier says by them. Not here: the classifier.
"""

from __future__ import annotations

import re

_RUDE_NOUNS = """
    arsehole asshat asshole asswipe bastard bitch bullshit cocksucker cretin cunt dickhead dimwit
    dipshit douche douchebag dumbass faggot fatass fuck fucker fuckwad fuckwit goddamn gook halfwit
    horseshit idiot imbecile jackass lowlife moron motherfucker nigga nigger nitwit nutjob paedo pedo
    raghead retard scumbag shit shithead shithole shitter slut tosser towelhead tranny twat wanker
    wetback whore
"""
_OTHER_RUDE_WORDS = """
    beaners bitchy bullshite effing fucked fucking goddamned gtfo idiocy idiotic kike kikes kys moronic
    pedos retarded shitting shitty slutty stfu
"""
_HARSH_NOUNS = """
    arse ass bigot butt clown coward crap creep crook crybaby dunce dyke fag fart fascist fool freak
    garbage hag hoe honky hooker hypocrite jerk junkie leech liar lunatic maggot molester murderer nazi
    parasite pervert piss psycho psychopath pussy racist rapist redneck scum shill skank snowflake
    sociopath spic swine terrorist thug tit traitor transvestite turd vermin weirdo witch wog
"""
_HARSH_VERBS = """
    bugger castrate damn despise exterminate lynch masturbate molest puke rape strangle suck vomit
"""
_OTHER_HARSH_WORDS = """
    antichrist brainless brainwashed clueless corrupt crappy creepy damned delusional demented deranged
    despicable disgrace disgraceful disgusted disgusting dumb dumber dumbest fascism fatso filth filthy
    foolish freaking greedy hateful hell horny ignorant incompetent insane lame mf mfr nasty obscene
    pathetic pissed pos racism repulsive ridiculous satanic senile shameful shut sick sicko smut sodomy
    stink stinking stinks stupid stupidest stupidity traitorous treasonous ugliest useless vile vulgar
    wacko worthless wtf
"""
_GRAVE_NOUNS = """
    ape beast bum cock cockroach coon corpse cow demon devil dick gun homo loser monkey monster nut
    penis pig porn prick prostitute queer rat satan sheep snake vagina vulture weasel whale
"""
_GRAVE_VERBS = """
    abuse assault beat bomb burn choke cum execute hang hate kill murder poison punch rot screw shoot
    slap slaughter smash stab
"""
_OTHER_GRAVE_WORDS = """
    anal bloody chink crazy dead death die died dies dirty drunk dying evil fat gay gross hung jap kinky
    lying mental naked nude obese sex sexual sexy shot shrill suicide trash ugly wicked
"""
_WORDS_ENDING_IN_TARD = frozenset({"bustard", "costard", "custard", "dotard", "leotard", "mustard", "petard"})
_INSULT_BUILT_WITH_TARD = re.compile(r"[a-z]{2,20}tard(?:s|ed|ation)?")


def _with_plurals(nouns: str) -> set[str]:
    singular = set(nouns.split())
    return singular | {noun + ("es" if noun.endswith(("s", "ch", "x")) else "s") for noun in singular}


def _with_endings(verbs: str) -> set[str]:
    forms = set()
    for verb in verbs.split():
        stem = verb.removesuffix("e")
        doubled = stem + stem[-1]
        forms |= {verb, verb + "s", *(root + end for root in (stem, doubled) for end in ("ed", "er", "ing"))}
    return forms


RUDE = frozenset(_with_plurals(_RUDE_NOUNS) | set(_OTHER_RUDE_WORDS.split()))
"""Words that insult or swear in nearly every use."""
HARSH = frozenset(_with_plurals(_HARSH_NOUNS) | _with_endings(_HARSH_VERBS) | set(_OTHER_HARSH_WORDS.split()))
"""Words that mostly insult or demean, and are harmless at times."""
GRAVE = frozenset(_with_plurals(_GRAVE_NOUNS) | _with_endings(_GRAVE_VERBS) | set(_OTHER_GRAVE_WORDS.split()))
"""Words of harm, bodies and beasts: mostly harmless, and what threats and insults are often made of."""
RUDE_PHRASES = re.compile(
    r"\b(?:(?:go|rot|burn)\s+(?:to|in)\s+hell|drop\s+dead|kill\s+yoursel(?:f|ves)|up\s+yours"
    r"|son\s+of\s+a\s+bitch|s\.\s?o\.\s?b\b|a-hole)\b|\N{REVERSED HAND WITH MIDDLE FINGER EXTENDED}",
    re.IGNORECASE,
)
"""Insults of several harmless words."""
PLACES = re.compile(r"\bHell(?:,\s+(?:Norway|Michigan)|'s Kitchen)\b")
"""Places that are called like something harsh."""


def is_rude(word: str) -> bool:
    """Whether `word`, in lower case, insults or swears in nearly every use."""
    if word in RUDE or "fuck" in word:
        return True
    if _INSULT_BUILT_WITH_TARD.fullmatch(word) is None:
        return False
    return word.removesuffix("s") not in _WORDS_ENDING_IN_TARD
