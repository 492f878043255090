import { useState } from 'react'
import { Button } from '@mantine/core'
import { IconDownload } from '../../../icons/index.ts'
import { useActor } from '../../../api/actor.ts'
import { showCallError } from '../../../api/errors.ts'
import { saveFile } from '../../../api/save-file.ts'
import { testsFileOf } from '../queries.ts'
import type { TestsSearch } from './tests-place.ts'
import { useYear } from './use-year.ts'

interface DownloadProps {
  search: TestsSearch
  /** Whether no test matches, or the count is unknown. */
  disabled: boolean
}

/** Downloads all tests that match the filter as CSV, newest first. */
export function DownloadTests({ search, disabled }: DownloadProps) {
  const { tenant } = useActor()
  const [busy, setBusy] = useState(false)
  const download = async () => {
    setBusy(true)
    try {
      saveFile(await testsFileOf(tenant, search))
    } catch (error) {
      showCallError(error)
    }
    setBusy(false)
  }
  return <DownloadButton disabled={disabled} loading={busy} onClick={() => void download()} />
}

/** Downloads all tests of the shown year as CSV, written by the server. */
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
