import { queryOptions } from '@tanstack/react-query'
import { getSystemStatus } from '@caretaker/contract/calls/system.ts'
import { call } from '../../api/call.ts'

export const systemQuery = queryOptions({
  queryKey: ['system'],
  queryFn: ({ signal }) => call(getSystemStatus, {}, { signal }),
  refetchInterval: 5000,
})
