import { oneLine } from '../../core/printable-text';
import { isBeyond } from './check';
import type { CheckResult, Figure } from './check';
import type { CheckRecord, ShiftOutcome } from './outcome';

/** A check's result with the check's name. */
type FailedCheck = CheckResult & { readonly name: string };

/** So many things that are wrong are in the sentence; of more, the number is said. */
const mostNamed = 2;

/**
 * What failed checks have found, as one sentence without a full stop for a person who is woken at night: the slot, how many of
 * how many, and what the other slots have, such as `green: 1,026 of 1,026 requests failed (100 %), blue 0.1 %`. The check that
 * counts is quoted first; of a check whose figures count nothing, its name and reason. Statistics are in `formatResult`.
 *
 * @returns an empty text where there is no check
 */
export function failureSentence(failed: readonly FailedCheck[]): string {
  const counting = failed.find((check) => failedFigures(check).length > 0);
  const first = counting ?? failed[0];
  if (first === undefined) {
    return '';
  }
  const others = failed.filter((check) => check !== first).map(({ name }) => name);
  const figures = failedFigures(first);
  const said = figures.slice(0, mostNamed).map(countsText);
  const more = figures.length - said.length;
  const parts = [
    ...(said.length > 0 ? said : [`${first.name}: ${first.reason.replace(/\.$/, '')}`]),
    ...(more > 0 ? [`and ${more} more`] : []),
    ...(others.length > 0 ? [`also failed: ${others.join(', ')}`] : []),
  ];
  return oneLine(parts.join('; '));
}

/** The sentence with a full stop, as the first line of a text. */
export function failureLine(failed: readonly FailedCheck[]): string {
  return closed(failureSentence(failed));
}

/** A sentence with an end. */
export function closed(sentence: string): string {
  return sentence === '' || /[.!?…]$/.test(sentence) ? sentence : `${sentence}.`;
}

/** The last answers of the checks that a shift ended by. */
export function failedChecks({ failed, checks }: Pick<ShiftOutcome, 'failed' | 'checks'>): CheckRecord[] {
  const last = [...new Map(checks.map((check) => [check.name, check])).values()];
  return last.filter(({ name, status }) => failed?.includes(name) ?? status === 'fail');
}

/** Figures that the check fails by and that say how many. */
function failedFigures({ figures }: FailedCheck): readonly CountingFigure[] {
  return figures.filter(
    (figure): figure is CountingFigure =>
      figure.counts !== undefined && (figure.failed === true || isBeyond(figure)),
  );
}

type CountingFigure = Figure & Required<Pick<Figure, 'counts'>>;

/** `green: 12 of 40 pods do not start (30 %), blue 0 %: 0/3 nodes are available` */
function countsText({ slot, unit, counts, beside }: CountingFigure): string {
  const { counted, of, what, cause } = counts;
  const share = unit === 'share' && of > 0 ? ` (${shareText(counted / of)})` : '';
  const other =
    beside === undefined || beside.value === null
      ? ''
      : `, ${beside.slots.join(' and ')} ${shareText(beside.value)}`;
  const where = slot === undefined ? '' : `${slot}: `;
  return `${where}${countText(counted)} of ${countText(of)} ${what}${share}${other}${cause === undefined ? '' : `: ${cause}`}`;
}

/** `1,026`; some sources add up fractions. */
function countText(count: number): string {
  return Math.round(count).toLocaleString('en-US');
}

/** `2.3 %`, with as many digits as matter; what is not all is not called 100 %. */
function shareText(share: number): string {
  const percent = share * 100;
  const digits = percent < 10 ? 2 : 3;
  const text = percent.toLocaleString('en-US', { maximumSignificantDigits: digits });
  return `${text === '100' && share < 1 ? '99.9' : text} %`;
}
