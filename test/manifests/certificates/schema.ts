import * as models from '@kubernetes-models/cert-manager/cert-manager.io/v1';

/** What does not fit the schemas of cert-manager, a line an object, and nothing for objects that fit. */
export function schemaErrors(objects: readonly Record<string, any>[]): string[] {
  return objects.flatMap((object) => {
    try {
      new (models as any)[object.kind](object).validate();
      return [];
    } catch (error) {
      return [`${object.kind}: ${(error as Error).message}`];
    }
  });
}
