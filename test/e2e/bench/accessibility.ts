import { readFileSync } from 'node:fs';
import type { Browser } from './browser';

/** What axe found on a page. */
export interface Barrier {
  readonly rule: string;
  readonly impact: string;
  readonly help: string;
  /** The first elements that it is about. */
  readonly elements: readonly string[];
}

const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

/**
 * Evaluates the open page, with everything unfolded, by all rules of axe for WCAG 2.2 A and AA, and its best practices.
 *
 * @see https://github.com/dequelabs/axe-core/blob/v4.14.1/doc/rule-descriptions.md
 */
export async function barriers(browser: Browser): Promise<readonly Barrier[]> {
  await browser.evaluate(axe);
  return browser.evaluate(`(async () => {
    document.querySelectorAll('details').forEach((each) => { each.open = true; });
    const { violations } = await axe.run(document, { resultTypes: ['violations'] });
    const shown = ({ html, any }) => [html.slice(0, 200), ...any.map(({ message }) => message)].join('; ');
    return violations.map(({ id, impact, help, nodes }) =>
      ({ rule: id, impact, help, elements: nodes.slice(0, 5).map(shown) }));
  })()`);
}
