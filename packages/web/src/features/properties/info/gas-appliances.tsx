import type { ReactNode } from 'react'
import { useState } from 'react'
import { Button, Checkbox, FileInput, Radio, Textarea, TextInput } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { IconCertificate, IconFlame, IconPlus } from '../../../icons/index.ts'
import {
  addHomeAppliance,
  addHomeApplianceRecord,
  getHomeApplianceCertificate,
  removeHomeAppliance,
  withdrawHomeApplianceRecord,
} from '@caretaker/contract/calls/property-safety.ts'
import type { BoilerRecord } from '@caretaker/contract/compliance.ts'
import { CallError } from '@caretaker/contract/error-texts.ts'
import type { Property } from '@caretaker/contract/properties.ts'
import type { HomeCheck, PropertySafety } from '@caretaker/contract/property-safety.ts'
import { dayAt, dayText, startOfDay } from '@caretaker/rules/calendar/days.ts'
import type { RecordStatus } from '@caretaker/rules/compliance/records.ts'
import {
  certificateTypes,
  longestReason,
  longestSerialNumber,
  recordFaults,
  recordStatuses,
  recordTexts,
} from '@caretaker/rules/compliance/records.ts'
import { longestAppliance } from '@caretaker/rules/properties/safety.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import { useActor } from '../../../api/actor.ts'
import { call } from '../../../api/call.ts'
import { textsOf } from '../../../api/errors.ts'
import { saveFile } from '../../../api/save-file.ts'
import { useToday } from '../../../ui/age-view.tsx'
import { Card } from '../../../ui/card.tsx'
import { ComplianceChip } from '../../../ui/compliance-chip.tsx'
import { DayField } from '../../../ui/day-field.tsx'
import { CancelButton, Dialog, Problems, questionWidth } from '../../../ui/dialog.tsx'
import { DateOf, useZone } from '../../../ui/zone.tsx'
import { applianceRecordsQuery, propertyPageKey, propertySafetyQuery } from '../queries.ts'
import { TestDatesDialog } from './test-dates-dialog.tsx'
import classes from './gas-appliances.module.css'

type Appliance = HomeCheck['appliances'][number] & { applianceId: string }
type RemovedAppliance = PropertySafety['removedAppliances'][number]

/** Gas appliances without a connected device, with their records and a form to add one. */
export function GasAppliances({ property }: { property: Property }) {
  const actor = useActor()
  const { data: safety } = useQuery(propertySafetyQuery(actor.tenant, property.propertyId))
  const [open, setOpen] = useState<'appliance' | 'dates'>()
  const tag = property.accessRightsTag
  const mayEdit = can(actor, 'edit property', { accessRightsTags: tag ? [tag.id] : [] }) && !property.archivedAt
  const appliances = (safety?.gas?.appliances ?? []).filter((one): one is Appliance => one.applianceId !== null)
  const removed = safety?.removedAppliances ?? []
  if (!safety || (!mayEdit && appliances.length === 0 && removed.length === 0)) return undefined
  const close = () => setOpen(undefined)
  return (
    <Card
      title="Other gas appliances"
      icon={<IconFlame stroke={1.7} aria-hidden />}
      actions={
        mayEdit && (
          <span className={classes.actions}>
            {!safety.gas && !safety.water && (
              <Button variant="default" onClick={() => setOpen('dates')}>
                Enter test dates
              </Button>
            )}
            <Button
              variant="default"
              leftSection={<IconPlus size={16} aria-hidden />}
              onClick={() => setOpen('appliance')}
            >
              Add appliance
            </Button>
          </span>
        )
      }
    >
      {appliances.length === 0 ? (
        <p className={classes.quiet}>Add boilers without a connected control and other gas appliances here.</p>
      ) : (
        <ul className={classes.list}>
          {appliances.map((one) => (
            <ApplianceItem key={one.applianceId} property={property} appliance={one} mayEdit={mayEdit} />
          ))}
        </ul>
      )}
      {removed.length > 0 && (
        <details className={classes.removed}>
          <summary>Removed appliances ({removed.length})</summary>
          <ul className={classes.list} aria-label="Removed appliances">
            {removed.map((one) => (
              <RemovedItem key={one.applianceId} property={property} appliance={one} />
            ))}
          </ul>
        </details>
      )}
      {open === 'appliance' && <AddAppliance property={property} onClose={close} />}
      {open === 'dates' && (
        <TestDatesDialog property={property} stated={{ gas: null, water: null }} onClose={close} onSaved={close} />
      )}
    </Card>
  )
}

interface OfAppliance {
  property: Property
  appliance: Pick<Appliance, 'applianceId' | 'name'>
}

function useRefresh(propertyId: string) {
  const { tenant } = useActor()
  const client = useQueryClient()
  return () => client.invalidateQueries({ queryKey: propertyPageKey(tenant, propertyId) })
}

interface ApplianceItemProps {
  property: Property
  appliance: Appliance
  mayEdit: boolean
}

function ApplianceItem({ property, appliance, mayEdit }: ApplianceItemProps) {
  const zone = useZone()
  const { name, addedAt, addedBy, state, dueOn, failedOn } = appliance
  const [open, setOpen] = useState<'record' | 'remove' | BoilerRecord>()
  const close = () => setOpen(undefined)
  return (
    <li>
      <div className={classes.head}>
        <b>{name}</b>
        <ComplianceChip state={state} dueAt={dueOn && startOfDay(dueOn, zone)}>
          {failedOn && `Failed ${dayText(failedOn)}`}
        </ComplianceChip>
        {dueOn && <span className={classes.quiet}>due {dayText(dueOn)}</span>}
        {addedAt && (
          <span className={classes.quiet}>
            added <DateOf at={addedAt} /> by {addedBy}
          </span>
        )}
        {mayEdit && (
          <span className={classes.actions}>
            <Button variant="default" size="xs" onClick={() => setOpen('record')}>
              Add record
            </Button>
            <Button variant="default" size="xs" onClick={() => setOpen('remove')}>
              Remove
            </Button>
          </span>
        )}
      </div>
      <Records {...{ property, appliance }} onWithdraw={mayEdit ? setOpen : undefined} />
      {open === 'record' && <AddRecord property={property} appliance={appliance} onClose={close} />}
      {open === 'remove' && <RemoveAppliance property={property} appliance={appliance} onClose={close} />}
      {typeof open === 'object' && (
        <Withdraw
          property={property}
          appliance={appliance}
          record={open}
          onClose={close}
          onWithdrawn={() => setOpen('record')}
        />
      )}
    </li>
  )
}

/** A removed appliance: date, person and reason, with its records. */
function RemovedItem({ property, appliance }: { property: Property; appliance: RemovedAppliance }) {
  const { name, removedAt, removedBy, reason } = appliance
  return (
    <li>
      <div className={classes.head}>
        <b>{name}</b>
        <span className={classes.quiet}>
          Removed on <DateOf at={removedAt} />
          {removedBy && ` by ${removedBy}`}. {reason ? `Reason: ${reason}` : 'No reason was entered'}.
        </span>
      </div>
      <Records property={property} appliance={appliance} />
    </li>
  )
}

function Records({
  property,
  appliance,
  onWithdraw,
}: OfAppliance & { onWithdraw?: ((record: BoilerRecord) => void) | undefined }) {
  const { tenant } = useActor()
  const { data } = useQuery(applianceRecordsQuery(tenant, property.propertyId, appliance.applianceId))
  if (!data?.length) return undefined
  return (
    <ul className={classes.records} aria-label={`Records of ${appliance.name}`}>
      {data.map((record) => (
        <RecordLine
          key={record.recordId}
          {...{ property, appliance, record }}
          onWithdraw={onWithdraw && (() => onWithdraw(record))}
        />
      ))}
    </ul>
  )
}

interface RecordLineProps extends OfAppliance {
  record: BoilerRecord
  onWithdraw: (() => void) | undefined
}

function RecordLine({ property, appliance, record, onWithdraw }: RecordLineProps) {
  const { tenant } = useActor()
  const zone = useZone()
  const { withdrawn, coversAlso } = record
  const [attachment] = record.attachments
  const [problems, setProblems] = useState<string[]>([])
  const day = dayText(dayAt(Date.parse(record.timestamp), zone))
  const text = `${day}, ${record.serialNumber}, ${record.status}`
  const save = async () => {
    const query = {
      ...{ tenant, propertyId: property.propertyId, applianceId: appliance.applianceId, recordId: record.recordId },
      attachmentId: attachment!.attachmentId,
    }
    try {
      const file = await call(getHomeApplianceCertificate, { query })
      saveFile(new File([file], attachment!.name, { type: attachment!.contentType }))
    } catch (error) {
      setProblems(textsOf(error))
    }
  }
  return (
    <li>
      {withdrawn ? <s>{text}</s> : <span>{text}</span>}
      {coversAlso && <span className={classes.quiet}>covers {coversAlso.propertyReference} as well</span>}
      {attachment && (
        <Button
          variant="subtle"
          size="compact-xs"
          leftSection={<IconCertificate size={14} aria-hidden />}
          onClick={() => void save()}
        >
          {attachment.name}
        </Button>
      )}
      {withdrawn ? (
        <span className={classes.quiet}>
          Withdrawn on <DateOf at={withdrawn.at} /> by {withdrawn.by}. Reason: <b>{withdrawn.reason}</b>. The record no
          longer counts towards any date.
        </span>
      ) : (
        onWithdraw && (
          <Button variant="subtle" size="compact-xs" onClick={onWithdraw}>
            Withdraw
          </Button>
        )
      )}
      <Problems texts={problems} />
    </li>
  )
}

interface FormProps {
  title: string
  verb: string
  /** Sends the form; undefined while it is invalid. */
  send: (() => Promise<void>) | undefined
  onClose: () => void
  onSent: () => void
  /** Called when the user tries to send an invalid form. */
  onTried?: () => void
  /** Returns true to handle an error as something other than a problem. */
  takes?: (error: unknown) => boolean
  children: ReactNode
}

/** A small dialog form that makes one call. */
function CallForm({ title, verb, send, onClose, onSent, onTried, takes, children }: FormProps) {
  const [isBusy, setBusy] = useState(false)
  const [problems, setProblems] = useState<string[]>([])
  const submit = async () => {
    onTried?.()
    if (!send || isBusy) return
    setBusy(true)
    setProblems([])
    try {
      await send()
      onSent()
    } catch (error) {
      if (!takes?.(error)) setProblems(textsOf(error))
      setBusy(false)
    }
  }
  return (
    <Dialog
      size={questionWidth}
      title={title}
      onClose={onClose}
      busy={isBusy}
      form={{
        noValidate: true,
        onSubmit: (event) => {
          event.preventDefault()
          void submit()
        },
      }}
      actions={
        <>
          <CancelButton disabled={isBusy} />
          <Button type="submit" loading={isBusy}>
            {verb}
          </Button>
        </>
      }
    >
      <div className={classes.form}>{children}</div>
      <Problems texts={problems} />
    </Dialog>
  )
}

function AddAppliance({ property: { propertyId }, onClose }: { property: Property; onClose: () => void }) {
  const { tenant } = useActor()
  const refresh = useRefresh(propertyId)
  const [name, setName] = useState('')
  const [isTried, setTried] = useState(false)
  const isEmpty = name.trim() === ''
  const send = async () => {
    await call(addHomeAppliance, { params: { tenant, propertyId }, body: { name: name.trim() } })
    await refresh()
  }
  return (
    <CallForm
      title="Add gas appliance"
      verb="Add appliance"
      send={isEmpty ? undefined : send}
      onClose={onClose}
      onSent={onClose}
      onTried={() => setTried(true)}
    >
      <TextInput
        label="Appliance"
        placeholder="Vaillant ecoTEC plus, kitchen"
        required
        maxLength={longestAppliance}
        value={name}
        error={isTried && isEmpty ? 'Appliance is required' : undefined}
        data-autofocus
        onChange={(event) => setName(event.currentTarget.value)}
      />
    </CallForm>
  )
}

function AddRecord({ property: { propertyId }, appliance, onClose }: OfAppliance & { onClose: () => void }) {
  const { tenant } = useActor()
  const today = useToday()
  const refresh = useRefresh(propertyId)
  const [serialNumber, setSerialNumber] = useState('')
  const [day, setDay] = useState('')
  const [status, setStatus] = useState('')
  const [file, setFile] = useState<File | null>(null)
  const [isTried, setTried] = useState(false)
  const [use, setUse] = useState<string>()
  const [coversOtherHome, setCovers] = useState(false)
  const draft = { serialNumber, day: day || undefined, status, testKit: '', hasCertificate: file !== null }
  const faults = recordFaults('GasSafety', draft, today)
  const shown = isTried ? faults : {}
  const send = async () => {
    const form = {
      ...{ tenant, propertyId, applianceId: appliance.applianceId, recordSerialNumber: serialNumber.trim() },
      ...{ recordDay: day, recordStatus: status as RecordStatus, file: file! },
      coversOtherHome: coversOtherHome ? ('true' as const) : ('false' as const),
    }
    await call(addHomeApplianceRecord, { form })
    await refresh()
  }
  return (
    <CallForm
      title={`Add record of ${appliance.name}`}
      verb="Save record"
      send={Object.keys(faults).length > 0 ? undefined : send}
      onClose={onClose}
      onSent={onClose}
      onTried={() => setTried(true)}
      takes={(error) => {
        const isUsed = error instanceof CallError && error.status === 409
        if (isUsed) setUse(textsOf(error).join(' '))
        return isUsed
      }}
    >
      <TextInput
        label="Certificate Number"
        required
        maxLength={longestSerialNumber}
        value={serialNumber}
        error={shown.serialNumber}
        data-autofocus
        onChange={(event) => {
          setSerialNumber(event.currentTarget.value)
          setUse(undefined)
          setCovers(false)
        }}
      />
      {use && (
        <div role="alert" className={classes.question}>
          <b>{use}</b>
          <Checkbox
            label="It covers both properties"
            description="If not, change the number."
            checked={coversOtherHome}
            onChange={(event) => setCovers(event.currentTarget.checked)}
          />
        </div>
      )}
      <DayField label="Date" required max={today} value={day} error={shown.day} onChange={setDay} />
      <Radio.Group label="Result" required value={status} error={shown.status} onChange={setStatus}>
        {recordStatuses.map((one) => (
          <Radio key={one} value={one} label={one} mt="xs" />
        ))}
      </Radio.Group>
      <FileInput
        label="Certificate"
        required
        placeholder="PDF, PNG or JPEG"
        accept={certificateTypes.join()}
        value={file}
        error={shown.hasCertificate}
        onChange={setFile}
      />
    </CallForm>
  )
}

interface WithdrawProps extends OfAppliance {
  record: BoilerRecord
  onClose: () => void
  onWithdrawn: () => void
}

function Withdraw({ property: { propertyId }, appliance: { applianceId }, record, ...then }: WithdrawProps) {
  const { tenant } = useActor()
  const params = { tenant, propertyId, applianceId, recordId: record.recordId }
  return (
    <ReasonForm
      title={`Withdraw ${record.serialNumber}`}
      verb="Withdraw"
      label="Why is this record wrong?"
      description="The record stays visible with its certificate, and no longer counts towards any date."
      send={(reason) => call(withdrawHomeApplianceRecord, { params, body: { reason } })}
      propertyId={propertyId}
      onClose={then.onClose}
      onSent={then.onWithdrawn}
    />
  )
}

function RemoveAppliance({ property: { propertyId }, appliance, onClose }: OfAppliance & { onClose: () => void }) {
  const { tenant } = useActor()
  const params = { tenant, propertyId, applianceId: appliance.applianceId }
  return (
    <ReasonForm
      title={`Remove ${appliance.name}`}
      verb="Remove"
      label="Why is this appliance removed?"
      description="Its records are kept under 'Removed appliances' and no longer count towards any date of this property."
      send={(reason) => call(removeHomeAppliance, { params, body: { reason } })}
      propertyId={propertyId}
      onClose={onClose}
      onSent={onClose}
    />
  )
}

interface ReasonFormProps extends Pick<FormProps, 'title' | 'verb' | 'onClose' | 'onSent'> {
  label: string
  description: string
  propertyId: string
  send: (reason: string) => Promise<unknown>
}

/** A form that asks only for a reason. */
function ReasonForm({ label, description, propertyId, send, ...form }: ReasonFormProps) {
  const refresh = useRefresh(propertyId)
  const [reason, setReason] = useState('')
  const [isTried, setTried] = useState(false)
  const isEmpty = reason.trim() === ''
  const sendReason = async () => {
    await send(reason.trim())
    await refresh()
  }
  return (
    <CallForm {...form} send={isEmpty ? undefined : sendReason} onTried={() => setTried(true)}>
      <Textarea
        label={label}
        description={description}
        required
        maxLength={longestReason}
        value={reason}
        error={isTried && isEmpty ? recordTexts.reason : undefined}
        data-autofocus
        onChange={(event) => setReason(event.currentTarget.value.replaceAll('\n', ' '))}
      />
    </CallForm>
  )
}
