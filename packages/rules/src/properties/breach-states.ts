/** How a missed deadline ended; 'moved' if an entry or new figures have changed its day since. */
export const breachStates = ['not done', 'done late', 'closed', 'moved'] as const
export type BreachState = (typeof breachStates)[number]
