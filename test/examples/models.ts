import * as argoCd from '@kubernetes-models/argo-cd/argoproj.io/v1alpha1';
import * as certManager from '@kubernetes-models/cert-manager/cert-manager.io/v1';
import * as admission from 'kubernetes-models/admissionregistration.k8s.io/v1';
import * as core from 'kubernetes-models/v1';

const models: Record<string, Record<string, any>> = {
  'argoproj.io/v1alpha1': argoCd,
  'cert-manager.io/v1': certManager,
  'admissionregistration.k8s.io/v1': admission,
  v1: core,
};

/** What does not fit the typed model of its kind; kinds without a model are not evaluated. */
export function modelErrors(objects: readonly any[]): string[] {
  return objects.flatMap((object) => {
    const Model = models[object.apiVersion]?.[object.kind];
    if (!Model) {
      return [];
    }
    try {
      new Model(object).validate();
      return [];
    } catch (error) {
      return [`${object.kind} ${object.metadata.name}: ${(error as Error).message}`];
    }
  });
}
