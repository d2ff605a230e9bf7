import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Spread } from './measure';
import { quotients, rounds, spread } from './measure';
import { runNode, typescript } from './run-node';
import { makeApp } from './synth/program';

/** What was measured for one number of objects. */
export interface SynthResult {
  readonly objects: number;
  readonly constructs: Spread;
  readonly bare: Spread;
  readonly ratio: Spread;
}

const program = join(__dirname, 'synth', 'sample.ts');

/** Measures the synthesis of objects made by the constructs beside the same objects written by hand. */
export function measureSynth(sizes: readonly number[], times: number): SynthResult[] {
  return sizes.map((objects) => {
    checkSame(objects);
    /** Milliseconds until the YAML text is there. */
    const sample = (way: string) => () => Number(runNode([...typescript, program, way, objects]).output);
    const { constructs, bare } = rounds(`synth, objects: ${objects}`, times, {
      constructs: sample('constructs'),
      bare: sample('bare'),
    });
    return {
      objects,
      constructs: spread(constructs),
      bare: spread(bare),
      ratio: spread(quotients(constructs, bare)),
    };
  });
}

/** A comparison of different objects would say nothing. */
function checkSame(objects: number): void {
  const [ours, bare] = (['constructs', 'bare'] as const).map((way) =>
    makeApp(way, objects).charts[0]!.toJson(),
  );
  const different = ours!.findIndex((object, index) => !isDeepStrictEqual(object, bare![index]));
  if (ours!.length !== objects || bare!.length !== objects || different >= 0) {
    throw new Error(`the constructs and the bare objects differ: ${JSON.stringify(ours![different])}`);
  }
}
