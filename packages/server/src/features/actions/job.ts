import type { Context } from '../../context.ts'
import { runBulkActions } from '../../bulk/worker.ts'
import { deviceBulk } from './device-bulk.ts'

/** Does what waits of all bulk actions, whatever they are done to. */
export const doBulkActions = (context: Pick<Context, 'db' | 'log'>, stopping?: AbortSignal) =>
  runBulkActions(context, { device: deviceBulk }, stopping)
