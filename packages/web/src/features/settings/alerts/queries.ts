import type { QueryClient } from '@tanstack/react-query'
import { queryOptions } from '@tanstack/react-query'
import type { AlertDefinition } from '@caretaker/contract/alerts.ts'
import {
  addDefaultAlerts,
  createAlertDefinition,
  deleteAlertDefinition,
  getAlertDefinitions,
  getAlertPreviews,
  previewAlertDefinition,
  updateAlertDefinition,
} from '@caretaker/contract/calls/alerts.ts'
import type { Definition } from '@caretaker/rules/alerts/definition.ts'
import { getTenantBuildings } from '@caretaker/contract/calls/buildings.ts'
import { call } from '../../../api/call.ts'
import { showCallError } from '../../../api/errors.ts'
import { AlreadyShown } from '../../../ui/forms/use-form.ts'
import { showError, showSuccess } from '../../../ui/toasts.tsx'
import { inNaturalOrder } from '@caretaker/rules/texts/natural-order.ts'

/** The alert rules of the client, and the number of void properties. */
export const alertRulesQuery = (tenant: string) =>
  queryOptions({
    queryKey: [tenant, 'alert rules'],
    meta: { shows: { subjects: ['alert', 'tag'], apart: 5000, edited: true } },
    queryFn: ({ signal }) => call(getAlertDefinitions, { body: { tenant } }, { signal }),
  })

export const buildingsQuery = (tenant: string) =>
  queryOptions({
    queryKey: [tenant, 'buildings'],
    queryFn: ({ signal }) => call(getTenantBuildings, { body: { tenant } }, { signal }),
  })

/** The alerts each rule would have sent in the last thirty days, by id. */
export const alertPreviewsQuery = (tenant: string) =>
  queryOptions({
    queryKey: [tenant, 'alert rules', 'previews'],
    meta: { shows: { subjects: ['alert'], apart: 10_000 } },
    queryFn: async ({ signal }) => {
      const all = await call(getAlertPreviews, { body: { tenant } }, { signal })
      return new Map(all.map((one) => [one.alertId, one]))
    },
  })

/** The alerts an edited rule would have sent; only for a complete rule. */
export const draftPreviewQuery = (tenant: string, draft: Definition, isAsked: boolean) => {
  const { tagId, scope, delay, delayUnit, triggerType, triggerCondition } = draft
  const asked = { tagId, scope: asSent(scope), delay, delayUnit, triggerType, triggerCondition }
  return queryOptions({
    queryKey: [tenant, 'alert rules', 'preview', asked],
    enabled: isAsked,
    queryFn: ({ signal }) =>
      call(
        previewAlertDefinition,
        { body: { tagTenant: tenant, ...asked, notificationType: 'NONE', notificationTarget: '' } },
        { signal },
      ),
  })
}

const asSent = (scope: Definition['scope']) =>
  scope && { families: [...scope.families], buildingIds: [...scope.buildingIds], tagIds: [...scope.tagIds] }

/** Changes to the rules; each also updates the cached list. */
export function alertRuleChanges(queryClient: QueryClient, tenant: string) {
  const { queryKey } = alertRulesQuery(tenant)
  const inList = (change: (rules: AlertDefinition[]) => AlertDefinition[]) => {
    queryClient.setQueryData(queryKey, (data) => data && { ...data, alerts: change(data.alerts) })
    void queryClient.invalidateQueries({ queryKey: alertPreviewsQuery(tenant).queryKey })
    void queryClient.invalidateQueries({ queryKey: [tenant, 'tags'] })
  }
  const saved = async (work: () => Promise<AlertDefinition>): Promise<AlertDefinition> => {
    try {
      const rule = await work()
      inList((rules) =>
        [...rules.filter((one) => one.alertId !== rule.alertId), rule].toSorted((a, b) =>
          inNaturalOrder(a.covers, b.covers),
        ),
      )
      showSuccess('Request Successful')
      return rule
    } catch (error) {
      showCallError(error)
      throw new AlreadyShown(error)
    }
  }

  return {
    /**
     * @param stored the rule and version that the change is based on; undefined for a new rule
     * @param invited addresses that unsubscribed and are invited again
     */
    save: (written: Definition, stored?: Pick<AlertDefinition, 'alertId' | 'version'>, invited?: string[]) =>
      saved(() => {
        const body = { tagTenant: tenant, ...written, scope: asSent(written.scope), ...(invited && { invited }) }
        if (!stored) return call(createAlertDefinition, { body })
        const { alertId, version } = stored
        return call(updateAlertDefinition, { body: { ...body, alertId, version } })
      }),

    async addDefaults(): Promise<void> {
      try {
        await call(addDefaultAlerts, { body: { tenant } })
      } catch (error) {
        return showCallError(error)
      }
      await queryClient.invalidateQueries({ queryKey })
      showSuccess('Request Successful')
    },

    async remove({ alertId, tagId }: AlertDefinition): Promise<void> {
      try {
        await call(deleteAlertDefinition, { body: { tagTenant: tenant, tagId, alertId } })
      } catch (error) {
        showError('Failed to delete alert!')
        throw error
      }
      inList((rules) => rules.filter((one) => one.alertId !== alertId))
      showSuccess('Alert deleted!')
    },
  }
}
