import { useState } from 'react'
import { Button } from '@mantine/core'
import { IconFileDescription } from '../icons/index.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import { useActor } from '../api/actor.ts'
import { lazily } from '../ui/lazily.tsx'
import type { SheetBuilding } from './sheet-dialog.tsx'

const SheetDialog = lazily(async () => (await import('./sheet-dialog.tsx')).SheetDialog)

/** Hands out an inspector's sheet: of one building, or of the one that is chosen from all. */
export function InspectionSheetButton({ building }: { building?: SheetBuilding }) {
  const actor = useActor()
  const [isOpen, setOpen] = useState(false)
  // Without a building given they are chosen from a list that not everybody may see.
  if (!can(actor, 'see lighting') || (!building && !can(actor, 'see buildings'))) return undefined
  return (
    <>
      <Button
        variant="default"
        leftSection={<IconFileDescription size={16} aria-hidden />}
        onClick={() => setOpen(true)}
      >
        Inspector’s sheet
      </Button>
      {isOpen && <SheetDialog {...(building && { building })} onClose={() => setOpen(false)} />}
    </>
  )
}
