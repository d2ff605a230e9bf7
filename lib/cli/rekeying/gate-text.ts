import type { GateReport, SeenAuthority } from '../../certificates';

/** What a gate found, for a person. */
export function gateText({ phase, open, obstacles, authorities, bundles, pods }: GateReport): string {
  const { old, renewed } = authorities;
  return [
    open ? `The phase ${phase} is over.` : `The phase ${phase} is not over:`,
    ...obstacles.map((each) => `  ${each}`),
    '',
    `old      ${oneLine(old.subject)}`,
    `renewed  ${oneLine(renewed.subject)}`,
    ...bundles.map(
      ({ place, holds, since }) => `${place}: ${holds.map(word).join(', ') || 'empty'}, since ${since}`,
    ),
    ...pods.map(({ name, signer }) => `pod ${name}: ${signer === null ? 'no answer' : word(signer)}`),
    '',
  ].join('\n');
}

function word(seen: SeenAuthority): string {
  return typeof seen === 'string' ? seen : oneLine(seen.other);
}

/** OpenSSL writes a line for each part of a name. */
function oneLine(subject: string): string {
  return subject.replaceAll('\n', ', ');
}
