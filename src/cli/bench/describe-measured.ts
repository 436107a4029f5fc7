import { describeSize } from '../../lib/describe-size.ts';
import type { Measured, SmallFiles } from './measured.ts';
import { speed, verdictOf } from './verdict.ts';

/** Lines for a person. */
export function describeMeasured(measured: Measured): readonly string[] {
  const { write, writeSmall, read, random, readSmall, listing, curl, curlRandomMs } = measured;
  return [
    ...(write ? [row('write', speed(write.bytesPerSecond), `one file of ${describeSize(write.bytes)}`)] : []),
    ...(read ? [row('read', speed(read.bytesPerSecond), readingOf(measured))] : []),
    ...(curl ? [row('  curl', speed(curl.bytesPerSecond), 'the same file over one connection')] : []),
    ...(random ? [row('random', ms(random.medianMs), `median of ${random.reads} reads of 4 KiB`)] : []),
    ...(curlRandomMs === undefined ? [] : [row('  curl', ms(curlRandomMs), 'the same, by ranges')]),
    ...(writeSmall ? [row('write small', perSecond(writeSmall), smallOf(writeSmall))] : []),
    ...(readSmall ? [row('read small', perSecond(readSmall), smallOf(readSmall))] : []),
    ...(listing
      ? [
          row(
            'list',
            ms(listing.ms),
            `${counted(listing.entries, 'entry', 'entries')}, ${counted(listing.requests, 'request')}`,
          ),
        ]
      : []),
    ...measured.leftOut.map((reason) => `left out: ${reason}`),
    `${counted(measured.requests, 'request')} of the API in all.`,
    verdictOf(measured),
    ...allowed(measured),
  ];
}

function row(what: string, figure: string, about: string): string {
  return `${what.padEnd(12)} ${figure.padStart(12)}   ${about}`;
}

function readingOf({ read }: Measured): string {
  if (read === undefined) return '';
  const { bytes, fromStoreBytes } = read;
  const cached = Math.max(bytes - fromStoreBytes, 0);
  return `${describeSize(bytes)}${cached > bytes / 10 ? `, ${describeSize(cached)} of it from a cache` : ''}`;
}

function perSecond({ perSecond: files }: SmallFiles): string {
  return `${files < 10 ? files.toFixed(1) : Math.round(files)} files/s`;
}

function smallOf({ files, requestsPerFile }: SmallFiles): string {
  return `${counted(files, 'file')}, ${counted(Math.round(requestsPerFile * 10) / 10, 'request')} each`;
}

function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

function ms(value: number): string {
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ms`;
}

function allowed({ rateLimit, writeSmall }: Measured): readonly string[] {
  if (rateLimit === undefined || writeSmall === undefined || writeSmall.requestsPerFile <= 0) return [];
  const files = Math.floor(rateLimit / writeSmall.requestsPerFile);
  return [`The request limit allows ${files} new small files in an interval of it.`];
}
