import { useRef, useState } from 'react'
import { Button, Select, Switch } from '@mantine/core'
import { IconAlertTriangleFilled, IconLock, IconPencil, IconPlus } from '../../icons/index.ts'
import type { LicenceBatch, TenantSetup } from '@caretaker/contract/tenant-administration.ts'
import { LicencePurchase, NewManager, SuspensionReason } from '@caretaker/contract/tenant-administration.ts'
import { largestLogo } from '@caretaker/contract/calls/tenant-administration.ts'
import { dayAt } from '@caretaker/rules/calendar/days.ts'
import type { Capability, Feature } from '@caretaker/rules/identity/features.ts'
import { featureWords } from '@caretaker/rules/identity/feature-words.ts'
import { pathTo } from '@caretaker/rules/links/places.ts'
import { capabilityGroups, featureGroups } from '@caretaker/rules/identity/features.ts'
import { managedServices } from '@caretaker/rules/properties/licences.ts'
import { vendorCan } from '@caretaker/rules/rights/can.ts'
import { useActor } from '../../api/actor.ts'
import { showCallError, textsOf } from '../../api/errors.ts'
import { dateText } from '../../ui/age.ts'
import { Card } from '../../ui/card.tsx'
import { ConfirmDialog } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/forms/fields.tsx'
import { FormDialog } from '../../ui/forms/form-dialog.tsx'
import { useSubmission, useValidForm } from '../../ui/forms/use-form.ts'
import { InfoMessage } from '../../ui/info-message.tsx'
import { AppLink } from '../../ui/link.tsx'
import { showError } from '../../ui/toasts.tsx'
import { z } from '../../ui/zod.ts'
import type { TenantChanges } from './queries.ts'
import classes from './tenants.module.css'

interface CardProps {
  setup: TenantSetup
  changes: TenantChanges
}

/** The features of a client and its managers. */
export function SetupCards(props: CardProps) {
  return (
    <>
      <Features {...props} />
      <Managers {...props} />
    </>
  )
}

/** The side column. */
export function SetupSide(props: CardProps) {
  return (
    <>
      <Licences {...props} />
      <InUse {...props} />
      <Look {...props} />
      <DeviceMessages {...props} />
      <Access {...props} />
    </>
  )
}

/** Developers switch features, admins can only read them (decisions). */
function useMaySwitch(): boolean {
  return vendorCan([useActor().role], 'switch features')
}

function Features({ setup, changes }: CardProps) {
  const may = useMaySwitch()
  const groups = { ...featureGroups, Capabilities: Object.values(capabilityGroups).flat() }
  const all = Object.values(groups).flat()
  const on: readonly string[] = [...setup.features, ...setup.capabilities]
  return (
    <Card
      title="Features and capabilities"
      aside={
        <span
          className={classes.beside}
        >{`${all.filter((name) => on.includes(name)).length} of ${all.length} on`}</span>
      }
      actions={
        !may && (
          <span className={classes.readOnly}>
            <IconLock size={14} aria-hidden /> Read only
          </span>
        )
      }
    >
      <p className={classes.hint}>Features decide which pages, tabs and fields this client has.</p>
      <div className={classes.groups}>
        {Object.entries(groups).map(([group, names]) => (
          <fieldset key={group} className={classes.group}>
            <legend>{group}</legend>
            {names.map((name) => (
              <Flag
                key={name}
                name={name}
                isOn={on.includes(name)}
                disabled={!may}
                turn={(isEnabled) =>
                  group === 'Capabilities'
                    ? changes.capability(name as Capability, isEnabled)
                    : changes.feature(name as Feature, isEnabled)
                }
              />
            ))}
          </fieldset>
        ))}
      </div>
    </Card>
  )
}

/** The handling of readings that the device link does not know. */
function DeviceMessages({ setup, changes }: CardProps) {
  const [wanted, setWanted] = useState<boolean>()
  const change = async (next: boolean) => {
    setWanted(next)
    await changes.unknownMetrics(next).catch(showCallError)
    setWanted(undefined)
  }
  return (
    <Card title="Device messages">
      <Switch
        label="Keep unknown metrics"
        description="Unknown metrics are stored under their raw names and shown in the telemetry of their device."
        aria-label="Keep unknown metrics"
        checked={wanted ?? setup.keepsUnknownMetrics}
        disabled={wanted !== undefined}
        onChange={(event) => void change(event.currentTarget.checked)}
        size="sm"
      />
    </Card>
  )
}

interface FlagProps {
  name: Feature | Capability
  isOn: boolean
  disabled: boolean
  turn: (isEnabled: boolean) => Promise<void>
}

function Flag({ name, isOn, disabled, turn }: FlagProps) {
  const [wanted, setWanted] = useState<boolean>()
  const change = async (next: boolean) => {
    setWanted(next)
    await turn(next).catch(showCallError)
    setWanted(undefined)
  }
  return (
    <Switch
      label={name}
      description={featureWords[name]}
      // The description is part of the label element but not of the name.
      aria-label={name}
      checked={wanted ?? isOn}
      disabled={disabled || wanted !== undefined}
      onChange={(event) => void change(event.currentTarget.checked)}
      size="sm"
    />
  )
}

function Managers({ setup, changes }: CardProps) {
  const [inviting, setInviting] = useState(false)
  return (
    <Card
      title="Managers"
      aside={<span className={classes.beside}>without restrictions</span>}
      actions={
        <Button variant="default" leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setInviting(true)}>
          Invite manager
        </Button>
      }
    >
      {setup.managers.length === 0 ? (
        <InfoMessage type="warning">
          No user of this client can open it yet. Invite the first manager, who can invite the others.
        </InfoMessage>
      ) : (
        <ul className={classes.lines}>
          {setup.managers.map((manager) => (
            <li key={manager.id}>
              <span>
                <b>{manager.name}</b>
                {!manager.hasSignedIn && <span className={classes.mark}>Invited</span>}
              </span>
              <span className={classes.dimmed}>{manager.email}</span>
            </li>
          ))}
        </ul>
      )}
      {inviting && <InviteDialog {...{ setup, changes }} onClose={() => setInviting(false)} />}
    </Card>
  )
}

function InviteDialog({ setup, changes, onClose }: CardProps & { onClose: () => void }) {
  const form = useValidForm({
    schema: NewManager,
    required: { name: true, email: true },
    defaultValues: { name: '', email: '' },
    draft: { name: `manager ${setup.id}`, isPersonal: true },
  })
  const submission = useSubmission(form, (values) => [changes.invite(values)], onClose)
  return (
    <FormDialog
      title={`Invite a manager of ${setup.name}`}
      verb="Invite"
      form={form}
      submission={submission}
      onClose={onClose}
    >
      <TextField form={form} name="name" label="Name" required first maxLength={100} />
      <TextField form={form} name="email" label="E-mail" required type="email" maxLength={320} />
      <p className={classes.hint}>We’ll e-mail a sign-in link to this address.</p>
    </FormDialog>
  )
}

function Licences({ setup, changes }: CardProps) {
  const may = useMaySwitch()
  const [editing, setEditing] = useState<LicenceBatch | 'new'>()
  const [now] = useState(Date.now)
  const batches = setup.licences.map(({ startOn, periodMonths, ...batch }) => ({
    ...batch,
    start: startOn,
    period: periodMonths,
  }))
  const figures = managedServices(batches, dayAt(now, setup.timeZone))
  return (
    <Card
      title="Licences"
      actions={
        may && (
          <Button variant="default" leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setEditing('new')}>
            Add licences
          </Button>
        )
      }
    >
      <p className={classes.share}>
        <b>{figures.assigned.toLocaleString('en-GB')}</b> of{' '}
        {(figures.assigned + figures.available).toLocaleString('en-GB')} assigned
      </p>
      <ShareBar {...figures} />
      <dl className={classes.figures}>
        <dt>Assigned</dt>
        <dd>{figures.assigned.toLocaleString('en-GB')}</dd>
        <dt>
          {figures.expiringInUnder12Months > 0 && (
            <IconAlertTriangleFilled className={classes.warning} size={16} aria-hidden />
          )}
          Ending within 12 months
        </dt>
        <dd>{figures.expiringInUnder12Months.toLocaleString('en-GB')}</dd>
        <dt>Available</dt>
        <dd>{figures.available.toLocaleString('en-GB')}</dd>
      </dl>
      {setup.licences.length > 0 && (
        <ul className={classes.lines}>
          {setup.licences.map((batch) => (
            <li key={`${batch.type} ${batch.startOn} ${batch.periodMonths}`}>
              <span>
                <b>{batch.type}</b>
                <span className={classes.dimmed}>
                  {dayText(batch.startOn)} to {dayText(batch.endOn)}
                </span>
              </span>
              <span className={classes.amount}>
                {batch.assigned.toLocaleString('en-GB')} of {batch.total.toLocaleString('en-GB')}
                {may && (
                  <Button
                    variant="subtle"
                    size="compact-sm"
                    aria-label={`Edit: ${batch.type} from ${dayText(batch.startOn)}`}
                    onClick={() => setEditing(batch)}
                  >
                    <IconPencil size={16} aria-hidden />
                  </Button>
                )}
              </span>
            </li>
          ))}
        </ul>
      )}
      {editing && (
        <LicenceDialog
          setup={setup}
          batch={editing === 'new' ? undefined : editing}
          changes={changes}
          onClose={() => setEditing(undefined)}
        />
      )}
    </Card>
  )
}

const dayText = (day: string) => day.split('-').reverse().join('/')

const wholeNumber = z.string().regex(/^\d{1,6}$/, 'Enter a whole number')
const LicenceForm = z.object({
  type: LicencePurchase.shape.type,
  startOn: LicencePurchase.shape.startOn,
  periodMonths: wholeNumber,
  total: wholeNumber,
})

function LicenceDialog({
  setup,
  batch,
  changes,
  onClose,
}: {
  setup: TenantSetup
  batch: LicenceBatch | undefined
  changes: TenantChanges
  onClose: () => void
}) {
  const form = useValidForm({
    schema: LicenceForm,
    required: {
      type: true,
      startOn: 'Start is required!',
      periodMonths: 'Months are required!',
      total: 'Number is required!',
    },
    defaultValues: {
      type: batch?.type ?? 'Managed Service',
      startOn: batch?.startOn ?? '',
      periodMonths: String(batch?.periodMonths ?? 12),
      total: batch ? String(batch.total) : '',
    },
    draft: { name: `licences ${setup.id} ${batch ? `${batch.type} ${batch.startOn}` : 'new'}` },
  })
  const submission = useSubmission(
    form,
    ({ periodMonths, total, ...rest }) => [
      changes.licences({ ...rest, periodMonths: Number(periodMonths), total: Number(total) }),
    ],
    onClose,
  )
  return (
    <FormDialog
      title={batch ? 'Edit licences' : 'Add licences'}
      verb="Save"
      form={form}
      submission={submission}
      onClose={onClose}
    >
      <TextField form={form} name="type" label="Type" required disabled={batch !== undefined} maxLength={60} />
      <TextField
        form={form}
        name="startOn"
        label="Start"
        required
        disabled={batch !== undefined}
        description="Year-month-day, for example 2026-04-01"
      />
      <TextField form={form} name="periodMonths" label="Months" required disabled={batch !== undefined} />
      <TextField
        form={form}
        name="total"
        label="Number"
        required
        first
        description={batch ? `${batch.assigned} of them are assigned to properties.` : undefined}
      />
    </FormDialog>
  )
}

/** The share of assigned licences, and of those ending soon; the figures below have the same data. */
function ShareBar({ assigned, expiringInUnder12Months: ending, available }: Figures) {
  const parts = { assigned: Math.max(0, assigned - ending), ending: Math.min(assigned, ending), available }
  return (
    <div className={classes.bar} aria-hidden>
      {Object.entries(parts).map(
        ([part, share]) => share > 0 && <i key={part} data-part={part} style={{ flexGrow: share }} />,
      )}
    </div>
  )
}

type Figures = Record<'assigned' | 'expiringInUnder12Months' | 'available', number>

function InUse({ setup: { inUse } }: CardProps) {
  return (
    <Card title="In use">
      <dl className={classes.figures}>
        {(['devices', 'buildings', 'properties', 'users'] as const).map((name) => [
          <dt key={name}>{name.charAt(0).toUpperCase() + name.slice(1)}</dt>,
          <dd key={`${name} count`}>{inUse[name].toLocaleString('en-GB')}</dd>,
        ])}
      </dl>
    </Card>
  )
}

/** The logo and time zone. */
function Look({ setup, changes }: CardProps) {
  const [wanted, setWanted] = useState<string>()
  const change = async (zone: string | null) => {
    if (!zone || zone === setup.timeZone) return
    setWanted(zone)
    await changes.timeZone(zone).catch(showCallError)
    setWanted(undefined)
  }
  const [zones] = useState(() => Intl.supportedValuesOf('timeZone'))
  const { logo } = setup
  const set = (next: { light: string; dark: string | null } | null) => void changes.logo(next).catch(showCallError)
  return (
    <Card title="Logo and time zone">
      <div className={classes.fields}>
        <div className={classes.logos}>
          <span className={classes.logo} data-ground="light">
            {logo ? <img src={logo.light} alt="Logo for light backgrounds" /> : setup.name}
          </span>
          <span className={classes.logo} data-ground="dark">
            {logo ? <img src={logo.dark} alt="Logo for dark backgrounds" /> : setup.name}
          </span>
        </div>
        <div className={classes.wrap}>
          <PictureButton label={logo ? 'Change logo' : 'Add logo'} onPicture={(light) => set({ light, dark: null })} />
          {logo && (
            <>
              <PictureButton label="Dark variant" onPicture={(dark) => set({ light: logo.light, dark })} />
              <Button variant="default" onClick={() => set(null)}>
                Show name instead of logo
              </Button>
            </>
          )}
        </div>
        <Select
          label="Time zone"
          description="Used for days, schedules and reports."
          data={zones}
          value={wanted ?? setup.timeZone}
          disabled={wanted !== undefined}
          onChange={(zone) => void change(zone)}
          searchable
          allowDeselect={false}
        />
      </div>
    </Card>
  )
}

function PictureButton({ label, onPicture }: { label: string; onPicture: (address: string) => void }) {
  const input = useRef<HTMLInputElement>(null)
  const read = async (file: File | undefined) => {
    if (!file) return
    if (file.size > largestLogo) return showError('A logo can have at most 100 kB.')
    const reader = new FileReader()
    reader.addEventListener('load', () => onPicture(reader.result as string))
    reader.readAsDataURL(file)
  }
  return (
    <>
      <Button variant="default" onClick={() => input.current?.click()}>
        {label}
      </Button>
      <input
        ref={input}
        type="file"
        accept="image/svg+xml,image/png,image/webp"
        aria-label={label}
        hidden
        onChange={(event) => {
          void read(event.currentTarget.files?.[0])
          event.currentTarget.value = ''
        }}
      />
    </>
  )
}

function Access({ setup, changes }: CardProps) {
  const { role } = useActor()
  const [asking, setAsking] = useState(false)
  const [joining, setJoining] = useState(false)
  const { suspension, timeZone } = setup
  return (
    <Card title="Access">
      {suspension ? (
        <InfoMessage type="warning">
          Suspended since {dateText(suspension.since, timeZone)}. Reason shown to its users: {suspension.reason}
        </InfoMessage>
      ) : (
        <InfoMessage type="success">Active.</InfoMessage>
      )}
      <div className={classes.wrap}>
        {setup.isOwn ? (
          <Button variant="default" renderRoot={(root) => <AppLink {...root} href={pathTo(setup.id, 'Dashboard')} />}>
            Open client
          </Button>
        ) : (
          <Button variant="default" onClick={() => setJoining(true)}>
            Join
          </Button>
        )}
        <Button variant="default" onClick={() => setAsking(true)}>
          {suspension ? 'Resume' : 'Suspend'}
        </Button>
      </div>
      {joining && (
        <ConfirmDialog
          title={`Join ${setup.name}`}
          verb="Join"
          onConfirm={() => changes.join().then(() => true as const, textsOf)}
          onClose={() => setJoining(false)}
        >
          <p>
            You become a user of this client, as {role}, and can open it. Its users see you in the list of users, and
            the audit records that you joined.
          </p>
        </ConfirmDialog>
      )}
      {asking && suspension && (
        <ConfirmDialog
          title={`Resume ${setup.name}`}
          verb="Resume"
          onConfirm={() => changes.resume().then(() => true as const, textsOf)}
          onClose={() => setAsking(false)}
        >
          <p>Its users can open it again immediately.</p>
        </ConfirmDialog>
      )}
      {asking && !suspension && <SuspendDialog {...{ setup, changes }} onClose={() => setAsking(false)} />}
    </Card>
  )
}

function SuspendDialog({ setup, changes, onClose }: CardProps & { onClose: () => void }) {
  const form = useValidForm({
    schema: SuspensionReason,
    required: { reason: 'Reason is required!' },
    defaultValues: { reason: '' },
    draft: { name: `suspend ${setup.id}` },
  })
  const submission = useSubmission(form, ({ reason }) => [changes.suspend(reason)], onClose)
  return (
    <FormDialog title={`Suspend ${setup.name}`} verb="Suspend" form={form} submission={submission} onClose={onClose}>
      <p className={classes.text}>
        Users of this client cannot open it until it is resumed. Devices continue to report, and tests and alerts
        continue as planned.
      </p>
      <TextField
        form={form}
        name="reason"
        label="Reason"
        required
        first
        maxLength={200}
        description="Shown to users of this client."
      />
    </FormDialog>
  )
}
