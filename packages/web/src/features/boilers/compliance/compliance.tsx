import { useState } from 'react'
import type { Device } from '@caretaker/contract/devices.ts'
import type { RecordType } from '@caretaker/rules/compliance/records.ts'
import { recordTexts } from '@caretaker/rules/compliance/records.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import { targetOfDevice } from '../../../actions/target.ts'
import { useActor } from '../../../api/actor.ts'
import { Failed, Loading, LoadingLines } from '../../../ui/states.tsx'
import { SuccessMessage, useSuccessMessage } from '../../../ui/success-message.tsx'
import { RecordEditor } from './record-editor.tsx'
import { RecordsTable } from './records-table.tsx'
import type { KnownRecord } from './standing.ts'
import { WithdrawDialog } from './withdraw-dialog.tsx'
import { StandingCard } from './standing-card.tsx'
import { useStandings } from './use-standings.ts'
import classes from './compliance.module.css'

/** The gas safety and water treatment records of a boiler: due dates and the form to add a record. */
export function Compliance({ device }: { device: Device }) {
  const actor = useActor()
  const { standings, former, isError, refetch } = useStandings(device)
  const [adding, setAdding] = useState<RecordType>()
  const [withdrawing, setWithdrawing] = useState<KnownRecord>()
  const [added, showAdded] = useSuccessMessage()
  const [addedNumber, setAddedNumber] = useState('')
  const mayAdd = !device.userHasReadOnlyAccess && can(actor, 'add boiler record', targetOfDevice(device))
  if (!standings && isError) return <Failed onRetry={refetch} />
  if (!standings)
    return (
      <Loading label="Loading the compliance records">
        <LoadingLines lines={6} />
      </Loading>
    )
  const open = standings.find(({ type }) => type === adding)
  return (
    <div className={classes.page}>
      {standings.length > 0 && (
        <div className={classes.cards}>
          {standings.map((standing) => (
            <StandingCard
              key={standing.type}
              deviceId={device.deviceId}
              standing={standing}
              isAdding={adding === standing.type}
              onAdd={mayAdd ? () => setAdding(standing.type) : undefined}
            />
          ))}
        </div>
      )}
      <div className={classes.added} data-shown={added ? true : undefined}>
        <SuccessMessage text={added} />
        {added && <span>{addedNumber} added</span>}
      </div>
      {mayAdd && open && (
        <RecordEditor
          key={open.type}
          device={device}
          standing={open}
          onClose={() => setAdding(undefined)}
          onAdded={(serialNumber) => {
            setAdding(undefined)
            setAddedNumber(serialNumber)
            showAdded(recordTexts.added)
          }}
        />
      )}
      <RecordsTable
        deviceId={device.deviceId}
        standings={[...standings, ...former]}
        onAdd={mayAdd ? setAdding : undefined}
        onWithdraw={mayAdd ? setWithdrawing : undefined}
      />
      {withdrawing && (
        <WithdrawDialog
          deviceId={device.deviceId}
          record={withdrawing}
          onClose={() => setWithdrawing(undefined)}
          onWithdrawn={() => {
            setWithdrawing(undefined)
            setAdding(withdrawing.recordType)
          }}
        />
      )}
    </div>
  )
}
