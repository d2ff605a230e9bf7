/** Every way of approval: a new one has a line here, and no other. Its word under `approvals` in plan files follows. */
export { github } from './github';
