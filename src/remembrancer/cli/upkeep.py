"""Commands that keep a store well: reindex, reembed, doctor."""

from typing import TYPE_CHECKING

import click

from remembrancer.cli.output import numbered, print_json, scope_line
from remembrancer.cli.progress import Reporter, embed_with_bar
from remembrancer.cli.target import CommandRefused, Target, targeted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from remembrancer.jobs.doctor import Diagnosis
    from remembrancer.memory import Memory

FAULTS_LEFT = 11


@click.command()
@click.option("--words-only", is_flag=True, help="Leave the vectors as they are.")
@targeted
def reindex(target: Target, words_only: bool) -> None:
    """Build the text index anew, and make the vectors that are missing."""

    async def work(memory: "Memory") -> tuple[int, int]:
        reporter = Reporter("reindexed", 1)
        words = await memory.upkeep.reindex(progress=reporter.add, vectors=not words_only)
        reporter.end()
        return words, await embed_with_bar(memory) if memory.upkeep.has_embedder and not words_only else 0

    words, vectors = target.run(work)
    if target.json:
        print_json({"wordings": words, "vectors": vectors})
    else:
        click.echo(f"{words} wordings indexed, vectors made for {vectors}")


@click.command()
@targeted
def reembed(target: Target) -> None:
    """Make all vectors anew with the present embedder, then switch over to them."""

    async def work(memory: "Memory") -> int:
        reporter = Reporter("vectors made:", 1)
        made = await memory.upkeep.reembed(progress=reporter.add)
        reporter.end()
        return made

    made = target.run(work)
    if target.json:
        print_json({"vectors": made})
    else:
        click.echo(f"vectors made for {made} wordings")


@click.command()
@click.option("--mend", is_flag=True, help="Mend what can be mended without judgement.")
@click.option(
    "--accept-losses", is_flag=True, help="Take what another program removed or added as it is; told no more."
)
@targeted
def doctor(target: Target, mend: bool, accept_losses: bool) -> None:
    """Look for faults in the store; exit code 11 when some are left."""
    found = target.run(lambda memory: memory.upkeep.doctor(mend=mend, accept_losses=accept_losses))
    if target.json:
        print_json([_diagnosis_json(diagnosis) for diagnosis in found])
    else:
        _print_diagnoses(found)
    if left := sum(not diagnosis.repaired for diagnosis in found):
        raise CommandRefused(f"{numbered(left, 'kind')} of fault left", FAULTS_LEFT)


def _print_diagnoses(found: "Sequence[Diagnosis]") -> None:
    from remembrancer.types.fault import ACCEPTABLE

    if not found:
        click.echo("no faults found")
    for diagnosis in found:
        places = ", ".join(diagnosis.finding.where[:5]) + (" …" if len(diagnosis.finding.where) > 5 else "")
        fate = diagnosis.advice or ("taken as it is" if diagnosis.finding.fault in ACCEPTABLE else "mended")
        told = [places, *([scope_line(diagnosis.scope)] if diagnosis.scope else []), fate]
        click.echo(f"{diagnosis.finding.fault.value} ({len(diagnosis.finding.where)}): {': '.join(told)}")


def _diagnosis_json(diagnosis: "Diagnosis") -> dict[str, object]:
    from remembrancer.types.forms import scope_form

    return {
        "fault": diagnosis.finding.fault.value,
        "scope": None if diagnosis.scope is None else scope_form(diagnosis.scope),
        "where": list(diagnosis.finding.where),
        "repaired": diagnosis.repaired,
        "advice": diagnosis.advice,
    }
