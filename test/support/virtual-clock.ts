export { turns, VirtualClock } from '../../src/agent/testing/virtual-clock.ts';
