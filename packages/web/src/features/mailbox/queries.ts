import { queryOptions } from '@tanstack/react-query'
import { getMailbox } from '@caretaker/contract/calls/mailbox.ts'
import { call } from '../../api/call.ts'

export const mailboxQuery = (tenant: string) =>
  queryOptions({
    queryKey: [tenant, 'mailbox'],
    meta: { shows: { subjects: ['mail'] } },
    queryFn: async ({ signal }) => (await call(getMailbox, { params: { tenant } }, { signal })).results,
    refetchInterval: 10_000,
  })
