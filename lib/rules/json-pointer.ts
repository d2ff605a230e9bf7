/** JSON pointer of steps: `pointerTo('metadata', 'annotations', 'a/b')` is `/metadata/annotations/a~1b`. */
export function pointerTo(...steps: readonly (string | number)[]): string {
  return steps.map((step) => `/${escaped(step)}`).join('');
}

/** Steps of a JSON pointer. */
export function stepsOf(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function escaped(step: string | number): string {
  if (typeof step === 'number') {
    return String(step);
  }
  return step.includes('~') || step.includes('/') ? step.replaceAll('~', '~0').replaceAll('/', '~1') : step;
}
