import type { Problems } from '../../problems';
import type { CanaryProvider, Honouring } from './provider';
import { honours } from './provider';

/** Checks that every field is one, and has an effect with the provider. */
export function checkHonoured<T extends object>(
  problems: Problems,
  path: string,
  object: T,
  fields: Readonly<Record<keyof T & string, Honouring>>,
  provider: CanaryProvider,
): void {
  for (const [field, honouring] of Object.entries<Honouring>(fields)) {
    const value = object[field as keyof T];
    if (value !== undefined && !honours(honouring, provider)) {
      problems.add(`${path}.${field}`, value, `left out: it has no effect with the provider "${provider}"`);
    }
  }
}
