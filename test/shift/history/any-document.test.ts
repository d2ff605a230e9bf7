import * as fc from 'fast-check';

import { historyDocument, historyText, keptItem } from '../../../lib/operate/history';
import { readShifts } from '../../../lib/shift/history';
import { keptText } from '../../../lib/shift/history/kept-shift';
import { renderReport } from '../../../lib/shift/report';
import { keptShift } from './shifts';

const kept = keptShift(0);

const value = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer(),
  fc.constantFrom<unknown>(
    null,
    true,
    [],
    {},
    -1,
    0,
    1e308,
    '2026-01-02T03:04:05.000Z',
    { blue: 100 },
    'pass',
    'fail',
  ),
);

/** Puts values into places of a document; what is no document any more is for the reader to find. */
function changed(document: object, places: readonly (readonly [number, unknown])[]): object {
  const copy = structuredClone(document);
  const all: [object, string][] = [];
  const walk = (of: object): void => {
    for (const [key, each] of Object.entries(of)) {
      all.push([of, key]);
      if (typeof each === 'object' && each !== null) {
        walk(each as object);
      }
    }
  };
  walk(copy);
  for (const [place, put] of places) {
    const [of, key] = all[place % all.length]!;
    Reflect.set(of, key, put);
  }
  return copy;
}

test('of every document the answer is a sentence, or a shift that is drawn and listed', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(), value), { minLength: 1, maxLength: 4 }), (places) => {
      const found = readShifts('a.json', JSON.stringify(changed(kept, places)));
      if (typeof found === 'string') {
        expect(found).toMatch(/^a\.json: [^\n]+$/u);
        return;
      }
      for (const { outcome, run } of found) {
        const files = renderReport(outcome);
        expect(files['report.html']).toContain('</html>');
        const items = run ? [keptItem({ ...outcome, run })] : [];
        expect(historyText({ items }).join('\n')).not.toMatch(/undefined|NaN|Invalid/);
        historyDocument({ items, problems: [] });
      }
    }),
    { numRuns: 150 },
  );
});

test('what is kept is read as it was', () => {
  const { run, ...outcome } = kept;
  expect(readShifts('a.json', keptText(kept))).toEqual([{ outcome, run, route: run.route }]);
});
