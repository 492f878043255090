import { useState } from 'react'
import { selectListing } from '@caretaker/contract/devices.ts'
import { useActor } from '../../api/actor.ts'
import { call } from '../../api/call.ts'
import { showCallError } from '../../api/errors.ts'
import { showWarning } from '../../ui/toasts.tsx'
import type { ListingState } from './listing-state.ts'
import { listingBody } from './queries.ts'
import type { ListingSelection } from './selection.ts'
import classes from './listing.module.css'

interface SelectAllProps {
  state: ListingState
  selection: ListingSelection
  total: number
}

/** From the first selected row on, the way to all of the listing; stands in the foot, so that no row moves for it. */
export function SelectAll({ state, selection, total }: SelectAllProps) {
  const { tenant } = useActor()
  const [busy, setBusy] = useState(false)
  const count = selection.devices.size
  if (count === 0 || count >= total) return undefined

  async function selectAll(): Promise<void> {
    const { listing, conditions, sorts, search } = state
    setBusy(true)
    try {
      const body = listingBody(tenant, listing, { filters: conditions, sorts, search })
      const { devices, readOnly } = await call(selectListing, { body })
      selection.add(devices)
      const read = devices.length + readOnly
      if (readOnly > 0)
        showWarning(`${readOnly.toLocaleString('en-GB')} that you can read, but not change, are not selected.`)
      if (read < total) showWarning(`The first ${read.toLocaleString('en-GB')} devices are selected.`)
    } catch (error) {
      showCallError(error)
    } finally {
      setBusy(false)
    }
  }

  return (
    <button type="button" className={classes.all} disabled={busy} onClick={() => void selectAll()}>
      Select all {total.toLocaleString('en-GB')}
    </button>
  )
}
