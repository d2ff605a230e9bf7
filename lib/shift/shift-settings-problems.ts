import { goDuration, parseDuration } from '../durations';
import type { Problem, Rule } from '../problems';
import { isMapping, oneOf, optionKeyProblems, Problems, wholeNumber } from '../problems';
import type { ShiftSettings } from './shift-settings';
import { shiftSettingsKeys } from './shift-settings';

const positive: Rule = {
  allowed: `${goDuration.allowed}, more than zero`,
  accepts: (value) => goDuration.accepts(value) && parseDuration(value as string)! > 0,
};

const durations: Readonly<Record<string, Rule>> = {
  every: positive,
  checkEvery: positive,
  bake: goDuration,
  deadline: positive,
  inconclusiveLimit: goDuration,
};

const percent = wholeNumber(1, 100);
const pausePlace = wholeNumber(0, 99);
const interruptWord = oneOf('rollback', 'hold');

/**
 * Everything that is wrong with the settings of a shift, keys that it does not know included.
 *
 * @param slots names of the slots
 */
export function shiftSettingsProblems(settings: ShiftSettings, slots: readonly string[]): readonly Problem[] {
  const problems = new Problems('shift');
  const given: unknown = settings;
  if (!isMapping(given)) {
    problems.add('shift', given, 'the settings of a shift');
    return problems.all;
  }
  const unfit = optionKeyProblems(given, shiftSettingsKeys);
  if (unfit.length > 0) {
    return unfit;
  }
  problems.checkGiven('', given, durations);
  checkSteps(problems, given.step, given.firstStep);
  checkPauses(problems, given.pause);
  checkOnFailure(problems, given.onFailure, slots);
  if (given.onInterrupt !== undefined) {
    problems.check('onInterrupt', given.onInterrupt, interruptWord);
  }
  return problems.all;
}

function checkSteps(problems: Problems, step: unknown, firstStep: unknown): void {
  if (Array.isArray(step)) {
    checkPlaces(problems, step);
  } else if (step !== undefined && step !== 'geometric' && !percent.accepts(step)) {
    problems.add(
      'step',
      step,
      `${percent.allowed}, a list of rising places such as [5, 20, 50], or "geometric"`,
    );
  }
  if (firstStep === undefined) {
    return;
  }
  if (typeof step === 'number') {
    problems.check('firstStep', firstStep, percent);
  } else {
    problems.add('firstStep', firstStep, 'left out: only equal steps have a first step of their own');
  }
}

function checkPlaces(problems: Problems, places: readonly unknown[]): void {
  if (places.length === 0) {
    problems.add('step', places, 'a list of at least one place');
  }
  for (const [index, place] of places.entries()) {
    const before = places[index - 1];
    if (problems.check(`step[${index}]`, place, percent) && percent.accepts(before)) {
      if ((place as number) <= (before as number)) {
        problems.add(`step[${index}]`, place, `more than the place before it, ${before as number}`);
      }
    }
  }
}

function checkPauses(problems: Problems, pauses: unknown): void {
  if (pauses === undefined) {
    return;
  }
  if (!Array.isArray(pauses)) {
    problems.add('pause', pauses, 'a list of places such as [10, 50]');
    return;
  }
  for (const [index, place] of pauses.entries()) {
    problems.check(`pause[${index}]`, place as unknown, pausePlace);
  }
}

function checkOnFailure(problems: Problems, onFailure: unknown, slots: readonly string[]): void {
  if (onFailure === undefined || interruptWord.accepts(onFailure)) {
    return;
  }
  if (!isMapping(onFailure) || !('rollbackTo' in onFailure)) {
    problems.add('onFailure', onFailure, '"rollback", "hold" or { rollbackTo: a slot }');
    return;
  }
  problems.check('onFailure.rollbackTo', onFailure.rollbackTo, oneOf(...slots));
}
