import type { GateReport, SeenAuthority } from '../../certificates';

/** What a gate found, in short. */
export function gateLines({ phase, open, obstacles }: GateReport): string[] {
  return [
    open ? `The phase ${phase} is over.` : `The phase ${phase} is not over:`,
    ...obstacles.map((each) => `  ${each}`),
  ];
}

/** What a gate found, for a person, a line each. */
export function gateTextLines(report: GateReport): readonly string[] {
  const { authorities, bundles, pods } = report;
  const { old, renewed } = authorities;
  return [
    ...gateLines(report),
    '',
    `old      ${inOneLine(old.subject)}`,
    `renewed  ${inOneLine(renewed.subject)}`,
    ...bundles.map(
      ({ place, holds, since }) => `${place}: ${holds.map(word).join(', ') || 'empty'}, since ${since}`,
    ),
    ...pods.map(({ name, signer }) => `pod ${name}: ${signer === null ? 'no answer' : word(signer)}`),
  ];
}

function word(seen: SeenAuthority): string {
  return typeof seen === 'string' ? seen : inOneLine(seen.other);
}

/** OpenSSL writes a line for each part of a name. */
function inOneLine(subject: string): string {
  return subject.replaceAll('\n', ', ');
}
