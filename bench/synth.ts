import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Spread } from './measure';
import { median, quotients, rounds, spread } from './measure';
import { runNode, typescript } from './run-node';
import { makeApp } from './synth/program';

/** Milliseconds of one synthesis. */
interface Sample {
  /** Until every object is constructed (and, for the constructs, checked). */
  readonly constructing: number;
  /** Until the YAML text is there. */
  readonly total: number;
}

/** What was measured for one number of objects. */
export interface SynthResult {
  readonly objects: number;
  readonly constructs: Spread;
  readonly bare: Spread;
  readonly ratio: Spread;
  /** Medians of the time until every object is constructed. */
  readonly constructing: { readonly constructs: number; readonly bare: number };
}

const program = join(__dirname, 'synth', 'sample.ts');

/** Measures the synthesis of objects made by the constructs beside the same objects written by hand. */
export function measureSynth(sizes: readonly number[], times: number): SynthResult[] {
  return sizes.map((objects) => {
    checkSame(objects);
    const sample = (way: string) => () =>
      JSON.parse(runNode([...typescript, program, way, objects]).output) as Sample;
    const { constructs, bare } = rounds(`synth, objects: ${objects}`, times, {
      constructs: sample('constructs'),
      bare: sample('bare'),
    });
    const totals = (samples: readonly Sample[]) => samples.map(({ total }) => total);
    const constructing = (samples: readonly Sample[]) => median(samples.map((each) => each.constructing));
    return {
      objects,
      constructs: spread(totals(constructs)),
      bare: spread(totals(bare)),
      ratio: spread(quotients(totals(constructs), totals(bare))),
      constructing: { constructs: constructing(constructs), bare: constructing(bare) },
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
