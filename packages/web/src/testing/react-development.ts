/**
 * Turns off what React's development build records for the performance panel and the debugger: an entry and a task for
 * each element, about a quarter of the processor time of rendering. React reads these functions when it is loaded, so
 * this module comes first. Warnings and their component stacks stay.
 */
Object.assign(console, { timeStamp: undefined, createTask: undefined })
