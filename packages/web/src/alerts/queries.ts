import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { AlertState } from '@caretaker/contract/alerts.ts'
import { getAlerts } from '@caretaker/contract/calls/alerts.ts'
import { call } from '../api/call.ts'

/** The first page of alerts in one state, with the number of open ones. */
export const alertsQuery = (tenant: string, state: AlertState) =>
  queryOptions({
    queryKey: [tenant, 'alerts', state],
    meta: { shows: { subjects: ['alert', 'reach'] } },
    queryFn: ({ signal }) => call(getAlerts, { body: { tenant, state } }, { signal }),
    placeholderData: keepPreviousData,
  })

/** The open alerts of a property. */
export const homeAlertsQuery = (tenant: string, propertyId: string) =>
  queryOptions({
    queryKey: [tenant, 'alerts', 'open', 'home', propertyId],
    meta: { shows: { subjects: ['alert', 'reach'] } },
    queryFn: ({ signal }) => call(getAlerts, { body: { tenant, state: 'open', propertyId } }, { signal }),
  })
