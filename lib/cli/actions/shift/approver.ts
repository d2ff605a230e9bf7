import { isPlainObject } from '../../../core/validation/problems';

/** In characters: longer ones are no name. */
const longest = 200;

/** Labels of an Argo Workflow and what they are in are some kilobytes. */
const longestLabels = 100_000;

/** What {@link approverOf} takes. */
export const approverAllowed =
  'a text of 1 to 200 characters on one line, or labels of an Argo Workflow as JSON';

/**
 * Who let a shift go on, as `--approved-by` says it: a text, or the labels of an Argo Workflow as JSON. Argo Server sets these
 * where it knows who resumes; kubectl and the `argo` command without a server remove them.
 *
 * @returns nothing where it is neither
 * @see https://argo-workflows.readthedocs.io/en/latest/workflow-creator/
 */
export function approverOf(said: string): string | undefined {
  const text = said.trim();
  if (text.startsWith('{')) {
    const labels = text.length <= longestLabels ? parsed(text) : undefined;
    return labels && byLabels(labels);
  }
  return text.length > 0 && text.length <= longest && !/[\r\n]/.test(text) ? text : undefined;
}

/** A pod is created after the last action on its workflow, which has to be the one that lets it go on. */
function byLabels(labels: Readonly<Record<string, unknown>>): string {
  const of = (name: string): string => {
    const label = labels[`workflows.argoproj.io/${name}`];
    return typeof label === 'string' ? label : '';
  };
  const who =
    of('actor-preferred-username') || of('actor-email').replace('.at.', '@') || of('actor').slice(0, 60);
  return of('action') === 'Resume' && who !== '' ? `${who} by argo resume` : 'argo resume (not named)';
}

function parsed(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value = JSON.parse(text) as unknown;
    return isPlainObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
