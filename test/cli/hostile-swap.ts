/** A swap file whose program is never started: AWS refuses before. */
export function hostileSwap(bad: string, file: (name: string, content: string) => string): void {
  const program = { commands: { read: ['/nowhere'], deploy: ['/nowhere'] } };
  const phases = { deliver: { skip: true } };
  file('swap.yaml', JSON.stringify({ fleet: 'apps', region: 'eu-west-1', to: '1.36', program, phases }));
  const other = { commands: { ...program.commands, read: ['/nowhere', 'us'] } };
  const fleets = { eu: { region: 'eu-west-1', program }, us: { region: 'us-east-1', program: other } };
  file('waves.yaml', JSON.stringify({ fleet: 'apps', to: '1.36', phases, fleets }));
  const [first, second] = [`${bad}a`, `${bad}b`];
  file(
    'bad-waves.yaml',
    JSON.stringify({
      ...{ fleet: 'apps', to: '1.36', phases, waitBetweenWaves: bad },
      fleets: { [first]: { region: 'eu-west-1', program }, [second]: { region: bad, program } },
      waves: [
        [first, bad],
        [second, second],
      ],
    }),
  );
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
    'an answer of AWS about several fleets': { args: [path('waves.yaml')] },
    'an answer of AWS about several fleets, before': { args: [path('waves.yaml'), '--dry-run'] },
    'an answer of AWS on the way back of several fleets': { args: [path('waves.yaml'), '--back'] },
    'a swap file of several fleets': { args: [path('bad-waves.yaml'), '--dry-run'] },
    'the name of a fleet': { args: [path('waves.yaml'), '--fleet', said] },
    'the name of a file': { args: [path(`${badName}.no`), '--rights'] },
    'a time': { args: [path('swap.yaml'), '--schedule', said] },
  };
}
