import type { CheckLayer, DoctorCheckResult, DoctorFinding, FindingSeverity, Likelihood } from './check';

/** A finding among those of all checks. */
export interface Cause {
  /** Name of its check. */
  readonly check: string;
  /** The finding. */
  readonly finding: DoctorFinding;
  /** The findings that go back to it, most likely first. */
  readonly explains: readonly {
    /** Name of its check. */
    readonly check: string;
    /** The finding. */
    readonly finding: DoctorFinding;
  }[];
}

const severities: readonly FindingSeverity[] = ['error', 'warning', 'info'];

const likelihoods: readonly Likelihood[] = ['certain', 'likely', 'possible'];

/**
 * The findings of all checks, the most likely cause first.
 *
 * Checks are in the order in which one thing leads to another: a clock makes GitHub refuse a token, a refused token
 * makes a sync fail. So a finding explains those of later checks that speak of the same thing. It is before them,
 * also where it is less severe itself. Otherwise the severe one comes first, then the one that is surer, then that of
 * the earlier check.
 */
export function rankCauses(
  results: readonly Pick<DoctorCheckResult, 'id' | 'layer' | 'findings'>[],
): readonly Cause[] {
  const ranked: Ranked[] = [];
  const forwards = [...results].sort((one, other) => layers.indexOf(one.layer) - layers.indexOf(other.layer));
  // From the last check back: what a finding explains is ranked before it.
  for (const [place, { id, findings }] of [...forwards.entries()].reverse()) {
    const later = ranked.filter((each) => each.place > place);
    ranked.push(...findings.map((finding) => rank(id, place, finding, later)));
  }
  return ranked
    .sort(compare)
    .map(({ check, finding, explains }) => ({ check, finding, explains: [...explains].sort(compare) }))
    .map((cause) => ({
      ...cause,
      explains: cause.explains.map(({ check, finding }) => ({ check, finding })),
    }));
}

interface Ranked {
  readonly check: string;
  /** Place of its check in the order in which one thing leads to another. */
  readonly place: number;
  readonly finding: DoctorFinding;
  readonly explains: readonly Ranked[];
  /** The worst of its own severity and of those that it explains. */
  readonly severity: number;
  /** How long the longest chain is that begins with it. */
  readonly depth: number;
}

function rank(check: string, place: number, finding: DoctorFinding, later: readonly Ranked[]): Ranked {
  const names = namesOf(finding);
  // Something that is merely worth knowing is no cause.
  const explains = finding.severity === 'info' ? [] : later.filter((each) => speaksOf(each.finding, names));
  return {
    check,
    place,
    finding,
    explains,
    severity: Math.min(severities.indexOf(finding.severity), ...explains.map(({ severity }) => severity)),
    depth: Math.max(0, ...explains.map(({ depth }) => depth + 1)),
  };
}

function compare(one: Ranked, other: Ranked): number {
  return (
    one.severity - other.severity ||
    other.depth - one.depth ||
    likelihoods.indexOf(one.finding.likelihood) - likelihoods.indexOf(other.finding.likelihood) ||
    one.place - other.place ||
    other.explains.length - one.explains.length
  );
}

const layers: readonly CheckLayer[] = ['nodes', 'connections', 'applications'];

/** `ip-10-0-1-7` of `Node ip-10-0-1-7`, and what else is told. */
function namesOf({ subject, names = [] }: DoctorFinding): readonly string[] {
  const own = subject.slice(subject.lastIndexOf(' ') + 1);
  const withoutNamespace = own.slice(own.lastIndexOf('/') + 1);
  return [own, withoutNamespace, ...names].filter((name) => name.length >= shortest);
}

/** A shorter name is a word that may be in any text. */
const shortest = 4;

function speaksOf({ subject, message, evidence }: DoctorFinding, names: readonly string[]): boolean {
  const texts = [subject, message, ...evidence];
  return names.some((name) => texts.some((text) => hasWord(text, name)));
}

/** Whether a text has a name that does not go on before or after it: `web` is not in `web-2`. */
function hasWord(text: string, name: string): boolean {
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
    if (
      !inName.test(text[at - 1] ?? ' ') &&
      !goesOn.test(text.slice(at + name.length, at + name.length + 2))
    ) {
      return true;
    }
  }
  return false;
}

const inName = /[-A-Za-z0-9_.]/;

/** A full stop ends a sentence as well. */
const goesOn = /^(?:[-A-Za-z0-9_]|\.[A-Za-z0-9])/;
