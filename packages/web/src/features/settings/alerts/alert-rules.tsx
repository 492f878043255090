import { useCallback, useMemo, useState } from 'react'
import type { ReactNode } from 'react'
import { Button, Switch } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { IconBulb, IconLock, IconPlus, IconTag } from '../../../icons/index.ts'
import type { AlertDefinition } from '@caretaker/contract/alerts.ts'
import { conditionWords } from '@caretaker/rules/alerts/triggers.ts'
import { ruleWords } from '@caretaker/rules/alerts/words.ts'
import { dayAt, dayText } from '@caretaker/rules/calendar/days.ts'
import { pathTo } from '@caretaker/rules/links/places.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import { useActor } from '../../../api/actor.ts'
import { textsOf } from '../../../api/errors.ts'
import { tagsQuery } from '../../../api/tags.ts'
import { ConfirmDialog } from '../../../ui/dialog.tsx'
import type { GenericColumn } from '../../../ui/generic-table.tsx'
import { GenericTable } from '../../../ui/generic-table.tsx'
import { AppLink } from '../../../ui/link.tsx'
import { Empty } from '../../../ui/states.tsx'
import { useZone } from '../../../ui/zone.tsx'
import { DeleteButton } from '../delete-button.tsx'
import { EditButton } from '../edit-button.tsx'
import { AlertEditor } from './alert-editor.tsx'
import { ConditionView } from './condition-view.tsx'
import { MonthBars } from './month-bars.tsx'
import { alertPreviewsQuery, alertRuleChanges, alertRulesQuery } from './queries.ts'
import classes from './alerts.module.css'

interface Row extends AlertDefinition {
  days: readonly number[] | undefined
  count: number | undefined
  /** The date since which the count is known, if not for the whole period. */
  knownSince: string | null | undefined
}

/** The alert rules of the client: each is a row, and a sentence while edited. */
export function AlertRules() {
  const actor = useActor()
  const { data, isError, refetch } = useQuery(alertRulesQuery(actor.tenant))
  const { data: previews } = useQuery(alertPreviewsQuery(actor.tenant))
  const { data: tags } = useQuery(tagsQuery(actor.tenant))
  const [editing, setEditing] = useState<string>()
  const [deleting, setDeleting] = useState<AlertDefinition>()
  const [added, setAdded] = useState<string>()
  const mayManage = can(actor, 'manage alerts')
  const rows = useMemo(
    () =>
      (data?.alerts ?? []).map((rule): Row => {
        const preview = previews?.get(rule.alertId)
        return { ...rule, days: preview?.days, count: preview?.count, knownSince: preview?.knownSince }
      }),
    [data, previews],
  )
  const buttons = useMemo(
    () =>
      mayManage &&
      ((rule: AlertDefinition) => (
        <>
          <OnOff rule={rule} />
          <EditButton name={nameOf(rule)} onPress={() => setEditing(rule.alertId)} />
          {rule.definedByTenant && <DeleteButton name={nameOf(rule)} onPress={() => setDeleting(rule)} />}
        </>
      )),
    [mayManage],
  )
  const columns = useMemo(() => columnsFor(buttons), [buttons])
  const phoneRow = useCallback((row: Row) => <PhoneRow row={row} buttons={buttons} />, [buttons])
  const close = () => setEditing(undefined)
  const editorOf = (rule?: AlertDefinition) => (
    <AlertEditor
      key={rule?.alertId ?? 'new'}
      rule={rule}
      stored={rule && previews?.get(rule.alertId)?.count}
      tags={tags?.tags ?? []}
      onSaved={({ alertId }) => {
        if (!rule) setAdded(alertId)
        close()
      }}
      onCancel={close}
    />
  )
  const alertCount = rows.reduce((sum, { count }) => sum + (count ?? 0), 0)
  return (
    <>
      <GenericTable
        label="Alerts"
        columns={columns}
        rows={rows}
        rowId={(row) => row.alertId}
        rowHref={() => undefined}
        status={data ? 'ready' : isError ? 'failed' : 'loading'}
        onRetry={() => void refetch()}
        empty={
          <Empty text="No Tags" hint="A rule alerts you when devices fail or fall silent. Add an alert to start." />
        }
        phoneRow={phoneRow}
        reveal={added}
        newRow={editing === isNew && editorOf()}
        inPlace={(row) => row.alertId === editing && editorOf(row)}
        actions={
          <>
            {data && previews && (
              <span className={classes.sum}>
                {rows.length} {rows.length === 1 ? 'rule' : 'rules'}, {alertCount}{' '}
                {alertCount === 1 ? 'alert' : 'alerts'} in the last 30 days
              </span>
            )}
            {mayManage && data && data.missingDefaults > 0 && <AddDefaults count={data.missingDefaults} />}
            {mayManage && (
              <Button
                variant="default"
                leftSection={<IconPlus size={16} aria-hidden />}
                onClick={() => setEditing(isNew)}
                disabled={!data || editing === isNew}
              >
                Add alert
              </Button>
            )}
          </>
        }
      />
      {data && <PortalOnly rules={rows} mayManage={mayManage} />}
      {data && <VoidHomes count={data.voidProperties} />}
      {deleting && <DeleteDialog rule={deleting} onClose={() => setDeleting(undefined)} />}
    </>
  )
}

const isNew = 'new'
const nameOf = (rule: AlertDefinition) => `${rule.covers}, ${ruleWords(rule)}`

/** Switches a rule off and on in its row. */
function OnOff({ rule }: { rule: AlertDefinition }) {
  const { tenant } = useActor()
  const { save } = alertRuleChanges(useQueryClient(), tenant)
  const [busy, setBusy] = useState(false)
  const turn = async (enabled: boolean) => {
    setBusy(true)
    await save({ ...rule, enabled }, rule).catch(() => {})
    setBusy(false)
  }
  return (
    <Switch
      className={classes.onOff}
      size="xs"
      aria-label={`Switched on: ${nameOf(rule)}`}
      title={rule.enabled ? 'Switch off' : 'Switch on'}
      checked={rule.enabled}
      disabled={busy}
      onChange={(event) => void turn(event.currentTarget.checked)}
    />
  )
}

function AddDefaults({ count }: { count: number }) {
  const { tenant } = useActor()
  const { addDefaults } = alertRuleChanges(useQueryClient(), tenant)
  const [busy, setBusy] = useState(false)
  const add = async () => {
    setBusy(true)
    await addDefaults()
    setBusy(false)
  }
  return (
    <Button
      variant="default"
      leftSection={<IconBulb size={16} aria-hidden />}
      title={`Adds ${count} ${count === 1 ? 'rule' : 'rules'} for all emergency lights: failed, overdue, missed, inhibited, no contact, unstable`}
      loading={busy}
      onClick={() => void add()}
    >
      Add default rules
    </Button>
  )
}

/** Rules without e-mail recipients: an alert shown only in the portal may be seen late. */
function PortalOnly({ rules, mayManage }: { rules: readonly AlertDefinition[]; mayManage: boolean }) {
  const count = rules.filter(({ enabled, notificationType }) => enabled && notificationType === 'NONE').length
  if (count === 0) return undefined
  return (
    <p className={classes.void}>
      {count === 1 ? '1 rule sends' : `${count} rules send`} no e-mail: {count === 1 ? 'its' : 'their'} alerts appear in
      the portal only.{mayManage && ' Edit a rule to enter an address.'}
    </p>
  )
}

const onlyVoid = encodeURIComponent(JSON.stringify([{ fieldId: 'voidStatus', filterOp: 'anyof', value: ['Void'] }]))

function VoidHomes({ count }: { count: number }) {
  const actor = useActor()
  const text = `${count} void ${count === 1 ? 'property' : 'properties'}`
  return (
    <p className={classes.void}>
      Void properties are silent: no rule tells anyone about their devices.{' '}
      {count === 0 ? (
        'There are none now.'
      ) : (
        <>
          {can(actor, 'see properties') ? (
            <AppLink href={`${pathTo(actor.tenant, 'Properties')}?filters=${onlyVoid}`}>{text}</AppLink>
          ) : (
            text
          )}{' '}
          now.
        </>
      )}
    </p>
  )
}

function Target({ rule }: { rule: AlertDefinition }) {
  if (rule.notificationType === 'NONE') return <span className={classes.none}>None (portal only)</span>
  return (
    <span className={classes.target} title={rule.notificationTarget}>
      {rule.notificationTarget}
      {rule.notificationType === 'EMAILUNEDITABLE' && (
        <IconLock size={14} role="img" aria-label="The address cannot be changed" />
      )}
    </span>
  )
}

/** Recipients who unsubscribed using the link in an e-mail, with the date and a button to invite them again. */
function UnsubscribedRecipients({ rule, mayManage }: { rule: AlertDefinition; mayManage: boolean }) {
  const { tenant } = useActor()
  const zone = useZone()
  const { save } = alertRuleChanges(useQueryClient(), tenant)
  const [busy, setBusy] = useState(false)
  const invite = async (address: string) => {
    setBusy(true)
    await save(rule, rule, [address]).catch(() => {})
    setBusy(false)
  }
  return rule.left.map(({ address, at }) => (
    <span key={address} className={classes.left}>
      {address} unsubscribed on {dayText(dayAt(Date.parse(at), zone))}
      {mayManage && (
        <button type="button" className={classes.invite} disabled={busy} onClick={() => void invite(address)}>
          Invite again
        </button>
      )}
    </span>
  ))
}

/** The devices that a rule covers. */
function CoverOf({ rule }: { rule: AlertDefinition }) {
  return (
    <span className={classes.tagCell}>
      <span className={classes.tag}>
        {rule.tagId && <IconTag size={14} aria-hidden />}
        {rule.covers}
      </span>
      {!rule.enabled && <span className={classes.predefined}>Switched off</span>}
      {!rule.definedByTenant && (
        <span className={classes.predefined}>
          <IconLock size={14} aria-hidden />
          Predefined
        </span>
      )}
    </span>
  )
}

function InMonth({ row }: { row: Row }) {
  const zone = useZone()
  if (!row.days) return <span className={classes.none}>–</span>
  return (
    <span className={classes.targets}>
      <span className={classes.month}>
        <MonthBars days={row.days} />
        <b data-none={row.count === 0 || undefined}>{row.count}</b>
      </span>
      {row.knownSince && (
        <span className={classes.none}>
          recorded since {dayText(dayAt(Date.parse(row.knownSince), zone)).slice(0, 5)}
        </span>
      )}
    </span>
  )
}

function columnsFor(buttons: ((rule: AlertDefinition) => ReactNode) | false): GenericColumn<Row>[] {
  return [
    {
      id: 'tag',
      header: 'Devices',
      width: 230,
      link: true,
      value: (row) => row.covers,
      cell: (row) => <CoverOf rule={row} />,
    },
    {
      id: 'condition',
      header: 'When the device',
      width: 215,
      value: (row) => conditionWords(row.triggerType, row.triggerCondition),
      cell: (row) => <ConditionView trigger={row.triggerType} condition={row.triggerCondition} />,
    },
    {
      id: 'delay',
      header: 'Delay',
      width: 90,
      align: 'end',
      value: (row) => row.delayDisplay,
      cell: (row) => row.delayDisplay,
    },
    {
      id: 'target',
      header: 'E-mail',
      width: 210,
      value: (row) => row.notificationTarget,
      cell: (row) => (
        <span className={classes.targets}>
          <Target rule={row} />
          <UnsubscribedRecipients rule={row} mayManage={buttons !== false} />
        </span>
      ),
    },
    {
      id: 'month',
      header: 'In 30 days',
      width: 205,
      value: (row) => row.count ?? 0,
      cell: (row) => <InMonth row={row} />,
    },
    ...(buttons ? [{ id: 'actions', header: 'Actions', width: 140, align: 'end' as const, cell: buttons }] : []),
  ]
}

function PhoneRow({ row, buttons }: { row: Row; buttons: ((rule: AlertDefinition) => ReactNode) | false }) {
  return (
    <span className={classes.phoneRow}>
      <span>
        <CoverOf rule={row} />
        <span>{ruleWords(row)}</span>
        <Target rule={row} />
        <UnsubscribedRecipients rule={row} mayManage={buttons !== false} />
      </span>
      {buttons && <span className={classes.phoneButtons}>{buttons(row)}</span>}
    </span>
  )
}

function DeleteDialog({ rule, onClose }: { rule: AlertDefinition; onClose: () => void }) {
  const { tenant } = useActor()
  const { remove } = alertRuleChanges(useQueryClient(), tenant)
  return (
    <ConfirmDialog
      title="Delete alert"
      verb="Delete"
      danger
      onConfirm={() => remove(rule).then(() => true as const, textsOf)}
      onClose={onClose}
    >
      <p>
        Nobody is alerted any more by {rule.covers}: {ruleWords(rule)}. Its open alerts end; past alerts stay on record.
      </p>
    </ConfirmDialog>
  )
}
