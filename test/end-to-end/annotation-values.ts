import { ANNOTATION_CLUSTER, ANNOTATION_SELECTOR } from '../../shared/changes/index.ts'

/** Values of an annotation: right ones, wrong ones, and parts of texts that may be either. */
interface Values {
  readonly good: readonly string[]
  readonly malformed: readonly string[]
  readonly parts: readonly string[]
  /** Annotations without which it says nothing. */
  readonly beside?: Readonly<Record<string, string>>
}

export const TIMES = ['2026-03-01T12:00:00Z', '2026-03-01T12:00:00.25+02:00']
export const PODS = { [ANNOTATION_SELECTOR]: 'app=web' }

export const VALUES: Readonly<Record<string, Values>> = {
  'sliceflow.dev/selector': {
    good: ['app=web,tier in (a,b)', 'x.io/app', '!a , b notin (c,)', 'n>7', Array(100).fill('a').join()],
    malformed: [
      '',
      ' \t',
      'app in',
      'a b',
      '-x=1',
      'app=web,,',
      Array(101).fill('a').join(),
      'a'.repeat(4097),
    ],
    parts: [
      'a',
      'app',
      'x.io/',
      'in',
      ' notin ',
      '=',
      '!=',
      '!',
      '>',
      '(',
      ')',
      ',',
      ' ',
      '1',
      '-',
      '/',
      'é',
    ],
  },
  'sliceflow.dev/cluster': {
    good: ['eu-1', 'eu-1, us-1', 'arn:aws:eks:eu-west-1:1:cluster/x', Array(20).fill('a').join()],
    malformed: ['', '  ', 'eu-1,', ',eu-1', 'a,,b', Array(21).fill('a').join(), 'a'.repeat(513)],
    parts: ['a', 'eu-1', ',', ' ', '/', 'é', 'a,b,c,d,e,f,g'],
    beside: PODS,
  },
  'sliceflow.dev/namespace': {
    good: ['shop', 'a', 'a-1'],
    malformed: ['', 'Shop', 'a.b', '-a', 'a-', 'a'.repeat(64), 'a"b'],
    parts: ['a', '1', '-', '.', 'B', '_', 'shop'],
    beside: { ...PODS, [ANNOTATION_CLUSTER]: 'eu-1' },
  },
  'sliceflow.dev/network': {
    good: ['storage', 'net/storage', 'net/storage.v1'],
    malformed: ['', 'a/b/c', 'Net', '/a', 'a/', 'a'.repeat(318)],
    parts: ['a', '1', '-', '.', '/', 'B', 'net'],
    beside: PODS,
  },
  'sliceflow.dev/addresses': {
    good: ['10.0.0.1', '10.0.0.1, fd00::1', 'FD00:0::1', '::ffff:10.0.0.1'],
    malformed: [
      ...[
        '',
        '10.0.0.1,',
        '10.0.0',
        '10.0.0.01',
        'fd00::1%eth0',
        'web',
        '127.0.0.1',
        '::1',
        '10.0.0.1,0:0::1',
      ],
      ...['0.0.0.0', '::', '169.254.169.254', 'FE80::1', '224.0.0.1', 'ff02::1', '1.1.1.1,'.repeat(2000)],
    ],
    parts: [
      '10.0.0.1',
      'fd00::',
      '1',
      ',',
      ' ',
      '127.0.0.1',
      '::',
      'ff02::1',
      '.',
      ':',
      '300',
      'a',
      '239.1.2.3',
    ],
  },
  'sliceflow.dev/release': {
    good: TIMES,
    malformed: ['', 'now', '2026-03-01'],
    parts: ['2026-03-01T12:00:00', 'Z', '.5', '+02:00', '-', '1'],
  },
  'sliceflow.dev/paused': {
    good: ['true', 'false', ...TIMES],
    malformed: ['', 'yes', 'True', 'true ', '2026-03-01', '2026-13-01T12:00:00Z', 'true\nfalse'],
    parts: ['true', 'false', '2026-03-01T12:00:00', 'Z', '.123', '+24:00', ' ', '\n', '1'],
    beside: PODS,
  },
  'sliceflow.dev/maximum-removal': {
    good: ['50%', '100%', '12.5%', '0.5', '1.0', '0', '1', '100000'],
    malformed: ['', '101%', '-1', '1.5', '100001', '50 %', 'half', '.5', '01', '٣'],
    parts: ['1', '0', '5', '.', '%', '100', '-', ' ', 'e', '٣'],
  },
  'sliceflow.dev/packing': {
    good: ['upstream', 'compact'],
    malformed: ['', 'Compact', 'tight', 'compact,upstream'],
    parts: ['upstream', 'compact', ' ', 'C', 'a'],
  },
}
