import { workloads } from 'cluster-canary/lint';

export const rules = [
  {
    id: 'ACME01',
    severity: 'warning',
    title: 'Image without a version',
    why: 'a pod that starts again may run another program',
    fix: 'name a version or a digest',
    *check({ objects }) {
      for (const { object, containers } of objects.view(workloads).all) {
        for (const { field } of containers) {
          const image = field.get('image');
          if (image.text?.endsWith(':latest')) {
            yield { object, pointer: image.pointer, message: `image ${image.text}` };
          }
        }
      }
    },
  },
];
