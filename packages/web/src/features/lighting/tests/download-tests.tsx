import { useState } from 'react'
import { Button } from '@mantine/core'
import { IconDownload } from '../../../icons/index.ts'
import type { EmergencyTest } from '@caretaker/contract/lighting.ts'
import { mostCounted } from '@caretaker/contract/calls/lighting.ts'
import { useActor } from '../../../api/actor.ts'
import { showCallError } from '../../../api/errors.ts'
import { saveFile } from '../../../api/save-file.ts'
import { useZone } from '../../../ui/zone.tsx'
import { restOfTests, testsFileOf } from '../queries.ts'
import { saveTests } from './save-tests.ts'
import type { TestsSearch } from './tests-place.ts'
import { useYear } from './use-year.ts'

interface DownloadProps {
  search: TestsSearch
  loaded: readonly EmergencyTest[]
  next: string | null
  total: number | undefined
  /** Whether what is loaded are still the tests that were looked for before: no file is made of those. */
  isFormer: boolean
}

/** All tests that meet the filter as a CSV: written here from what is loaded, and from so many on by the server. */
export function DownloadTests({ search, loaded, next, total = 0, isFormer }: DownloadProps) {
  const { tenant } = useActor()
  const zone = useZone()
  const [busy, setBusy] = useState(false)
  const download = async () => {
    setBusy(true)
    try {
      if (total > mostCounted) saveFile(await testsFileOf(tenant, search))
      else saveTests([...loaded, ...(await restOfTests(tenant, search, next))], zone)
    } catch (error) {
      showCallError(error)
    }
    setBusy(false)
  }
  return <DownloadButton disabled={isFormer || total === 0} loading={busy} onClick={() => void download()} />
}

/** All tests of the year whose months are shown, as a CSV that the server writes. */
export function DownloadYear({ search }: { search: TestsSearch }) {
  const { tenant } = useActor()
  const year = useYear(search)
  const [busy, setBusy] = useState(false)
  const { filter, building, group, type, result } = search
  const download = async () => {
    setBusy(true)
    const asked = { filter, building, group, type, result, from: `${year}-01-01`, to: `${year}-12-31` } as TestsSearch
    try {
      saveFile(await testsFileOf(tenant, asked))
    } catch (error) {
      showCallError(error)
    }
    setBusy(false)
  }
  return <DownloadButton loading={busy} onClick={() => void download()} />
}

export function DownloadButton(props: { disabled?: boolean; loading?: boolean; onClick: () => void }) {
  return (
    <Button variant="default" leftSection={<IconDownload size={16} aria-hidden />} {...props}>
      Download
    </Button>
  )
}
