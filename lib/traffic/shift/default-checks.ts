import type { CheckSettings } from '../../checks';
import { capacity, targetHealth } from '../../checks';

/** A step waits until the slot's targets can take it, and one whose targets fail is taken back. */
export const defaultChecks: readonly CheckSettings[] = [targetHealth(), capacity()];
