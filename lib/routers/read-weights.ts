import type { Weights } from '../shift';
import type { RouterDescription } from './aws-router';
import type { Reading } from './reading';
import { isRefusal } from './reading';
import { refused } from './router-failure';

/**
 * The weights of a reading.
 *
 * @throws RouterError where a shift can't work on what was read
 */
export function weightsOf(name: string, reading: Reading): Weights {
  if (isRefusal(reading)) {
    throw refused(name, reading);
  }
  return reading.weights;
}

/** A reading in plain data, also where a shift can't work on it. */
export function descriptionOf(name: string, reading: Reading): RouterDescription {
  return isRefusal(reading)
    ? { name, weights: null, missing: [], notes: [reading.why] }
    : { name, ...reading };
}
