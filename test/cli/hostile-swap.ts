/** A swap file whose program is never started: AWS refuses before. */
export function hostileSwap(file: (name: string, content: string) => string): void {
  const program = { commands: { read: ['/nowhere'], deploy: ['/nowhere'] } };
  const phases = { deliver: { skip: true } };
  file('swap.yaml', JSON.stringify({ fleet: 'apps', region: 'eu-west-1', to: '1.36', program, phases }));
}

/** Command lines that read it, and what AWS says. */
export function swapCases(
  bad: string,
  badName: string,
  path: (name: string) => string,
): Readonly<Record<string, { readonly args: readonly string[] }>> {
  const said = bad.replaceAll('\u0000', '');
  return {
    'an answer of AWS': { args: [path('swap.yaml')] },
    'an answer of AWS, before': { args: [path('swap.yaml'), '--dry-run'] },
    'a swap file': { args: [path('bad-swap.yaml'), '--dry-run'] },
    'the name of a file': { args: [path(`${badName}.no`), '--rights'] },
    'a time': { args: [path('swap.yaml'), '--schedule', said] },
  };
}
