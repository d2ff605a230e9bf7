/**
 * A marker stands in a Kubernetes object for a value that only a deployment knows. It is plain text, so it
 * survives string concatenation and JSON; its `$`, `{` and `}` do not survive URL encoding or a name rule,
 * so a marker that went through one is recognised as broken instead of being passed on.
 */
const core = 'cluster-canary.output';

/** The marker with this number. */
export function marker(number: number): string {
  return `\${${core}.${number}}`;
}

/** The number, when the text is one marker and nothing else. */
export function markerNumber(text: string): number | undefined {
  const match = /^\$\{cluster-canary\.output\.(\d+)\}$/.exec(text);
  return match ? Number(match[1]) : undefined;
}

/** The text cut at its markers: strings and marker numbers in turn. */
export function splitAtMarkers(text: string): (string | number)[] {
  return text
    .split(/\$\{cluster-canary\.output\.(\d+)\}/)
    .map((part, position) => (position % 2 === 0 ? part : Number(part)))
    .filter((part) => part !== '');
}

/** Whether a marker stands in the text. */
export function hasMarker(text: string): boolean {
  return splitAtMarkers(text).some((part) => typeof part === 'number');
}

/** The three texts of which at least one stands in the base64 form of any text that holds a marker. */
const inBase64 = [0, 1, 2].map((shift) => {
  const bytes = Buffer.from(' '.repeat(shift) + core).toString('base64');
  // The first group holds the shift, the last one whatever follows the core: only those between are certain.
  return bytes.slice(shift === 0 ? 0 : 4, Math.floor((shift + core.length) / 3) * 4);
});

/**
 * What was done to a marker in this text so that its value can no longer be put back, if anything:
 * it was cut or changed, or put through base64.
 */
export function damage(text: string): 'changed' | 'base64' | undefined {
  const rest = splitAtMarkers(text).filter((part): part is string => typeof part === 'string');
  if (rest.some((part) => /cluster-canary[.-]output/i.test(part))) {
    return 'changed';
  }
  return inBase64.some((piece) => text.includes(piece)) ? 'base64' : undefined;
}
