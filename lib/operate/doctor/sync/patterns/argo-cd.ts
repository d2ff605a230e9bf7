import type { MessagePattern } from './pattern';

const specification = 'argoproj/argo-cd v3.3.4 util/argo/argo.go';

const comparison = 'argoproj/argo-cd v3.3.4 controller/state.go';

const controller = 'argoproj/argo-cd v3.3.4 controller/appcontroller.go';

const sync = 'argoproj/argo-cd v3.3.4 controller/sync.go';

/** What Argo CD itself refuses, or does not find. */
export const argoCdPatterns: readonly MessagePattern[] = [
  {
    cause: 'crd-missing',
    category: 'transient',
    expression: /Make sure the "(?<by>[^"]{1,253})" CRD is installed on the destination cluster/,
    rule: 'A kind that the cluster does not know yet comes with its CustomResourceDefinition, often from another Application.',
    advice:
      'Wait for the next try while the definition is on its way; if nothing installs it, install what brings it. Definition and object in one Application: `SkipDryRunOnMissingResource=true` and sync waves.',
    sources: [specification],
  },
  {
    cause: 'crd-missing',
    category: 'transient',
    expression:
      /no matches for kind "(?<by>[^"]{1,253})" in (?:version|group)|ensure CRDs are installed first/,
    rule: 'A kind that the cluster does not know yet comes with its CustomResourceDefinition, often from another Application.',
    advice:
      'Wait for the next try while the definition is on its way; if nothing installs it, install what brings it. Definition and object in one Application: `SkipDryRunOnMissingResource=true` and sync waves.',
    sources: [
      'kubernetes/apimachinery v0.35.4 pkg/api/meta/errors.go',
      'kubernetes/cli-runtime v0.34.1 pkg/resource/mapper.go',
    ],
  },
  {
    cause: 'api-version-gone',
    category: 'user',
    expression: /could not find version "[^"]{1,63}" of (?<by>\S{1,300}) for requested resource/,
    rule: 'The cluster knows the kind in another version: this one was taken away, or is not served.',
    advice: 'Write the installed version into the manifest.',
    sources: [specification],
  },
  {
    cause: 'not-permitted-in-project',
    category: 'user',
    expression:
      /is not permitted (?:in|to use) project '?(?<by>[^'\s]{1,253})|do not match any of the allowed destinations in project '(?<project>[^'\s]{1,253})'/,
    rule: 'The AppProject lists which repositories, destinations and kinds its Applications may have.',
    advice: 'Extend the AppProject, or take what it does not allow out of the Application.',
    sources: [specification, sync],
  },
  {
    cause: 'project-missing',
    category: 'user',
    expression:
      /referencing project (?<by>\S{1,253}) which does not exist|Failed to load application project/,
    rule: 'An Application is of an AppProject that is not there.',
    advice: 'Make the AppProject, or name another one.',
    sources: [controller],
  },
  {
    cause: 'destination-unknown',
    category: 'user',
    expression:
      /there are (?:no|\d+) clusters with (?:this|the same) name: (?<by>\S{1,253})|Destination server missing from app spec|can't have both name and server defined|cluster "?[^"\s]{1,300}"? not found/,
    rule: 'No cluster Secret has the name or URL of the destination.',
    advice: 'Compare the destination with the cluster Secrets; `cluster-canary doctor clusters` lists them.',
    sources: [specification],
  },
  {
    cause: 'path-missing',
    category: 'user',
    expression:
      /(?<by>[^\s:]{1,300}): app path (?:does not exist|is not a directory|is absolute|outside root)/,
    rule: 'The repository has no such directory at this revision.',
    advice: 'Fix `path` or `targetRevision` of the source.',
    sources: ['argoproj/argo-cd v3.3.4 util/app/path/path.go'],
  },
  {
    cause: 'revision-missing',
    category: 'user',
    expression: /unable to resolve '(?<by>[^']{1,253})' to a commit SHA/i,
    rule: 'The repository has no such branch, tag or commit.',
    advice: 'Fix `targetRevision` of the source, or push the branch or tag.',
    sources: ['argoproj/argo-cd v3.3.4 util/git/client.go'],
  },
  {
    cause: 'shared-resource',
    category: 'user',
    expression: /is part of applications (?<by>\S{1,500} and \S{1,500})|Shared resource found/,
    rule: 'Two Applications write the same object, and each takes it from the other.',
    advice:
      'Leave the object in one of them; two names of one Application after a move need the old one deleted without its resources.',
    sources: [comparison, sync],
  },
  {
    cause: 'repeated-resource',
    category: 'user',
    expression: /^Resource \S{1,600} appeared \d+ times among application resources/,
    rule: 'One Application has the same object more than once; which one counts is chance.',
    advice: 'Take all but one out of the source.',
    sources: [comparison],
  },
  {
    cause: 'would-delete-everything',
    category: 'user',
    expression: /auto-sync will wipe out all resources/,
    rule: 'The source has no objects any more. Argo CD does not delete everything automatically.',
    advice:
      'Look whether the source is really meant to be empty: a plugin with blank output looks the same. If so, set `allowEmpty: true` or delete the Application.',
    sources: [controller],
  },
  {
    cause: 'sync-window',
    category: 'transient',
    expression: /blocked by sync window/,
    rule: 'A sync window of the AppProject is closed.',
    advice: 'Wait until it opens, or allow manual syncs in the window.',
    sources: [sync],
  },
  {
    cause: 'another-operation',
    category: 'transient',
    expression: /another operation is already in progress/,
    rule: 'An Application has one operation at a time.',
    advice: 'Wait until it ends, or terminate it.',
    sources: [specification],
  },
  {
    cause: 'signature-missing',
    category: 'user',
    expression:
      /is not signed, but a signature is required|Could not verify commit signature|verification result was invalid|but this key is not allowed in AppProject/,
    rule: 'The AppProject wants commits that are signed with one of its keys.',
    advice: 'Sign the commit, or add the key to Argo CD and to the AppProject.',
    sources: [comparison],
  },
  {
    cause: 'operation-timed-out',
    category: 'environment',
    expression: /terminating due to timeout|triggered by controller sync timeout|Operation terminat/,
    rule: 'A sync was ended from outside: it took longer than the controller allows, or a user terminated it.',
    advice: 'Look which resource or hook it waited for; `controller.sync.timeout.seconds` is the limit.',
    sources: [controller, 'argoproj/gitops-engine 97ad5b59a627 pkg/sync/sync_context.go'],
  },
];
