//! Decodes a defmt log: the ELF image is the argument, the log comes from standard input.
//! Prints the text, then the number of messages, of received bytes, and of bytes of text.

use std::fs;
use std::io::{self, Read, Write};

use anyhow::{Context, Result, bail};
use defmt_decoder::{DecodeError, Table};

fn main() -> Result<()> {
    let image = std::env::args_os().nth(1).context("give the image that sent the log")?;
    let elf = fs::read(&image).with_context(|| format!("cannot read {}", image.display()))?;
    let mut sent = Vec::new();
    io::stdin().read_to_end(&mut sent)?;
    io::stdout().write_all(text(&elf, &sent)?.as_bytes())?;
    Ok(())
}

fn text(elf: &[u8], sent: &[u8]) -> Result<String> {
    let table = Table::parse(elf)?.context("the image has no defmt section: build it with the feature `defmt`")?;
    let mut decoder = table.new_stream_decoder();
    decoder.received(sent);
    let mut text = String::new();
    let mut frames = 0_usize;
    loop {
        match decoder.decode() {
            Ok(frame) => {
                let level = frame.level().map_or("", |level| level.as_str());
                text += &format!("{level:5} {}\n", frame.display_message());
                frames += 1;
            }
            Err(DecodeError::UnexpectedEof) => break,
            Err(DecodeError::Malformed) => bail!("the log is damaged after {frames} messages"),
        }
    }
    let printed = text.len();
    text += &format!(
        "{frames} messages, {} bytes on the wire, {printed} as text\n",
        sent.len()
    );
    Ok(text)
}
