"""English words by how hostile they are, and the forms that disguise them.

For the detector of toxicity, which weighs what its classifier says by them. Not here: the classifier.
"""

from __future__ import annotations

import re

_RUDE_NOUNS = """
    arsehole asshat asshole asswipe bastard bitch bullshit cocksucker cretin cunt dickhead dimwit dipshit
    douche douchebag dumbass faggot fatass fuck fucker fuckwad fuckwit goddamn gook halfwit horseshit idiot
    imbecile jackass lowlife moron motherfucker nigga nigger nitwit nutjob paedo pedo raghead retard scumbag
    shit shithead shithole shitter slut tosser towelhead tranny twat wanker wetback whore
"""
_OTHER_RUDE_WORDS = """
    beaners bitchy bullshite dumbest effing fucked fucking goddamned idiocy idiotic kike kikes kys moronic
    gtfo pedos retarded shitting shitty slutty sob stfu
"""
_HARSH_NOUNS = """
    ape arse ass bigot bum butt clown cock cockroach coon corpse coward cow crap crapper creep crook crybaby
    demon devil dick dunce dyke fag fart fascist fool freak garbage hag hoe homo honky hooker hypocrite jerk
    junkie leech liar loser lunatic maggot molester monster murderer nazi nut paki parasite penis pervert pig
    porn prick prostitute psycho psychopath pussy queer racist rapist rat redneck satan scum sheep shill
    skank snake snowflake sociopath spic swine terrorist thug tit toilet traitor transvestite turd vagina
    vermin vulture weasel weirdo whale witch wog zionist
"""
_HARSH_VERBS = """
    abuse assault beat bomb bugger burn castrate choke cum damn despise execute exterminate hang hate kill
    lynch masturbate molest murder piss poison puke punch rape rot screw shoot slap slaughter smash stab
    strangle suck vomit
"""
_OTHER_HARSH_WORDS = """
    anal antichrist bloody brainless brainwashed chink clueless corrupt crazy creepy damned dead death
    delusional demented deranged despicable die dies died dirty disgrace disgraceful disgusting disgusted
    drunk dumb dumber dying evil fascism fat fatso filth filthy foolish freaking gay greedy gross gun hanged
    hateful hell horny ignorant incompetent insane jap kinky lame liberals lying mental mf mfr naked nasty
    nude obese obscene pathetic pissed pos racism repulsive ridiculous satanic senile sex sexual sexy shameful
    shithouse shot shrill shut sick sicko smut sodomy sons stink stinking stinks stupid stupidest stupidity
    suicide tits traitorous trash treasonous ugliest ugly useless vile vulgar wacko wicked worthless wtf
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
HARSH = frozenset(
    _with_plurals(_HARSH_NOUNS) | _with_endings(_HARSH_VERBS) | set(_OTHER_HARSH_WORDS.split())
)
"""Words that insult, threaten or demean in some uses and are harmless in others."""
RUDE_PHRASES = re.compile(
    r"\b(?:(?:go|rot|burn)\s+(?:to|in)\s+hell|drop\s+dead|kill\s+yoursel(?:f|ves)|up\s+yours"
    r"|son\s+of\s+a\s+bitch|s\.\s?o\.\s?b\b|a-hole)\b|\N{REVERSED HAND WITH MIDDLE FINGER EXTENDED}",
    re.IGNORECASE,
)
"""Insults of several harmless words."""
PLACES = re.compile(r"\bHell,\s+(?:Norway|Michigan|Cayman Islands)\b")
"""Places that are called like something harsh."""


def is_rude(word: str) -> bool:
    """Whether `word`, in lower case, insults or swears in nearly every use."""
    if word in RUDE or "fuck" in word:
        return True
    if _INSULT_BUILT_WITH_TARD.fullmatch(word) is None:
        return False
    return word.removesuffix("s") not in _WORDS_ENDING_IN_TARD
