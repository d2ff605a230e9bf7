/** What has kept parsers busy: one sign again and again, pairs that share their signs, and beginnings without an end. */
const units = [
  ...['0', '9s', '.', ' ', '\t', '\n', '/', '*', '*a', '-', '\\', '"', '\\"', '(', '[', '{', '{{', ':'],
  ...[
    's000',
    'a.',
    'a,',
    '~1',
    '((',
    ' \n',
    ':v1.1',
    'object.a',
    'has(object.a)&&',
    '{{A[0]....',
    '{{ x',
    '{{\t',
  ],
  ...[
    '-----BEGIN CERTIFICATE-----\n',
    '-----BEGIN PRIVATE KEY-----B',
    '{{ genCA',
    '/*',
    'eyJ-',
    ' \u0000:#\r',
    '$(',
  ],
];

/** Texts of a length, each with an ending on which the longest match fails. */
export function hostileTexts(length: number): string[] {
  // Its dots may be shared between brackets in many ways.
  const brackets = `{{A[0${']....[0'.repeat(Math.ceil(length / 7))}`;
  const repeated = units.flatMap((unit) => {
    const text = unit.repeat(Math.ceil(length / unit.length));
    return [`${text}\u0000!`, `0${text}x/`];
  });
  return [...repeated, brackets, `{{${'\t'.repeat(length)}`];
}

/** Longer than that is a hang. In milliseconds of the processor: other processes may keep the machine busy. */
const patience = 1_000;

/** Milliseconds that it took. The quickest of three, since the first one also compiles. */
function quickest(run: () => unknown): number {
  let best = Infinity;
  for (let round = 0; round < 3 && best > patience; round += 1) {
    const before = process.cpuUsage();
    run();
    const { user, system } = process.cpuUsage(before);
    best = Math.min(best, (user + system) / 1_000);
  }
  return best;
}

/** Fails where something takes over a second. */
export function expectNoHang(what: string, run: () => unknown): void {
  const took = quickest(run);
  expect({ what, took: took > patience ? took : 'less than a second' }).toEqual({
    what,
    took: 'less than a second',
  });
}
