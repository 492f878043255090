import type { FastifyInstance } from 'fastify'
import {
  addDefaultAlerts,
  createAlertDefinition,
  deleteAlertDefinition,
  getAlertDefinitions,
  getAlertPreviews,
  getAlerts,
  previewAlertDefinition,
  sendAlertAgain,
  updateAlertDefinition,
} from '@caretaker/contract/alerts.ts'
import type { AlertDefinition } from '@caretaker/contract/alerts.ts'
import type { Refusal } from '@caretaker/contract/refusal.ts'
import { refuse, refuseOutdated, success } from '@caretaker/contract/refusal.ts'
import type { Definition } from '@caretaker/rules/alerts/definition.ts'
import { missingDefaults } from '@caretaker/rules/alerts/defaults.ts'
import { definitionFaults } from '@caretaker/rules/alerts/definition.ts'
import type { Scope } from '@caretaker/rules/alerts/scope.ts'
import { scopeOf } from '@caretaker/rules/alerts/scope.ts'
import { differences } from '@caretaker/rules/audit/audit.ts'
import { audit } from '../../audit/audit.ts'
import { serveTenant } from '../../http/serve.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { sendAgain } from './again.ts'
import { countAlerts, listAlerts } from './list.ts'
import { addDefaults } from './predefined.ts'
import { knownSince, previewAnswer, previewsOf } from './preview.ts'
import { recordOf, subjectOf } from './record.ts'
import * as store from './store.ts'
import { unsubscribeRoutes } from './unsubscribe.ts'

export function alertRoutes(app: FastifyInstance): void {
  serveTenant(app, getAlertDefinitions, async ({ tx }) =>
    success({ ...(await listed(tx)), voidProperties: await store.countVoid(tx) }),
  )

  serveTenant(app, addDefaultAlerts, async ({ tx, person }) => success(await addDefaults({ tx, person })))

  serveTenant(app, createAlertDefinition, async ({ tx, person, body }) => {
    rejectInvalidView(body)
    if (body.notificationType === 'EMAILUNEDITABLE') throw unfit('notificationType', 'Choose E-mail or none')
    await expectScope(tx, scopeOf(body))
    const made = await store.insertDefinition(tx, { definition: body, by: person.id, now: new Date() })
    await audit(tx, { person, action: 'alert created', subject: subjectOf(made), after: recordOf(made) })
    return success(made)
  })

  serveTenant(app, updateAlertDefinition, async ({ tx, person, body }) => {
    rejectInvalidView(body)
    await expectScope(tx, scopeOf(body))
    const former = await store.holdDefinition(tx, body.alertId)
    if (!former) throw refuse('not found')
    if (body.version !== undefined && body.version !== former.version) throw await changedMeanwhile(tx, former)
    refuseOtherTarget(former, body)
    const { invited = [], ...written } = body
    const definition = { ...written, enabled: body.enabled ?? former.enabled }
    const made = await store.changeDefinition(tx, former, { definition, by: person.id, now: new Date(), invited })
    const whole = (rule: AlertDefinition) => ({ ...recordOf(rule), left: rule.left.map(({ address }) => address) })
    const differs = differences(whole(former), whole(made))
    if (differs) await audit(tx, { person, action: 'alert changed', subject: subjectOf(made), ...differs })
    return success(made)
  })

  serveTenant(app, deleteAlertDefinition, async ({ tx, person, body }) => {
    const former = await store.holdDefinition(tx, body.alertId)
    if (!former || former.tagId !== body.tagId) throw refuse('not found')
    if (!former.definedByTenant) throw refuse('refused', 'This alert is predefined and cannot be deleted.')
    await store.deleteDefinition(tx, former.alertId, new Date())
    await audit(tx, { person, action: 'alert deleted', subject: subjectOf(former), before: recordOf(former) })
    return success({ alertId: former.alertId })
  })

  serveTenant(app, previewAlertDefinition, async ({ tx, body, context }) => {
    rejectInvalidView({ ...body, notificationType: 'NONE', notificationTarget: '' })
    await expectScope(tx, scopeOf(body))
    const now = Date.now()
    const [preview] = await previewsOf(tx, [body], { pace: context.config.alertPace, now })
    return success(await previewAnswer(tx, preview!, (await knownSince(tx, now))(body)))
  })

  serveTenant(app, getAlertPreviews, async ({ tx, context }) => {
    const definitions = await store.listDefinitions(tx)
    const now = Date.now()
    const previews = await previewsOf(tx, definitions, { pace: context.config.alertPace, now })
    const since = await knownSince(tx, now)
    return success(
      definitions.map((rule, index) => ({
        alertId: rule.alertId,
        knownSince: since(rule),
        days: previews[index]!.days,
        count: previews[index]!.count,
      })),
    )
  })

  serveTenant(app, getAlerts, async ({ tx, actor, context, body }) =>
    success({ ...(await listAlerts(tx, actor, context.config, body)), counts: await countAlerts(tx, actor) }),
  )

  serveTenant(app, sendAlertAgain, async ({ tx, person, context, body }) => {
    const recipients = await sendAgain(tx, context.config, body.alertId, new Date())
    if (!recipients) throw refuse('not found')
    if (!recipients.length) throw refuse('refused', 'This alert has no recipients any more.')
    const subject = { type: 'alert', id: body.alertId, name: recipients.join(', ') } as const
    await audit(tx, { person, action: 'alert sent again', subject, after: { recipients } })
    return success({ recipients })
  })

  unsubscribeRoutes(app)
}

async function changedMeanwhile(tx: TenantTx, { alertId }: AlertDefinition): Promise<Refusal> {
  const who = (await store.lastChanger(tx, alertId)) ?? 'Someone else'
  return refuseOutdated(`${who} has changed this alert in the meantime. Close it and open it again to see the changes.`)
}

const unfit = (field: keyof Definition, message: string) => refuse('invalid', message, [{ field, message }])

function rejectInvalidView(definition: Definition): void {
  const faults = definitionFaults(definition)
  if (faults.length) throw refuse('invalid', faults[0]!.message, faults)
}

/** The recipients of a rule with a fixed address cannot be changed here. */
function refuseOtherTarget(former: AlertDefinition, body: Definition): void {
  const isFixed = former.notificationType === 'EMAILUNEDITABLE'
  if (!isFixed && body.notificationType === 'EMAILUNEDITABLE') throw unfit('notificationType', 'Choose E-mail or none')
  if (!isFixed) return
  if (body.notificationType !== former.notificationType || body.notificationTarget !== former.notificationTarget)
    throw unfit('notificationTarget', 'The address of this alert cannot be changed')
}

const isId = (text: string) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)

/** Tags are locked before their rules, so that deleting a tag and saving a rule wait for each other. */
async function expectScope(tx: TenantTx, { tagIds, buildingIds }: Scope): Promise<void> {
  const isKnown =
    tagIds.every(isId) &&
    (await store.holdsAll(tx, 'tag', tagIds)) &&
    (await store.holdsAll(tx, 'building', buildingIds))
  if (!isKnown) throw refuse('not found')
}

async function listed(tx: TenantTx) {
  const alerts = await store.listDefinitions(tx)
  return { alerts, missingDefaults: missingDefaults(alerts).length }
}
